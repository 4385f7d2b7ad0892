// The panels around the board and the graph.
const shownPvMoves = () => (innerWidth < 600 ? 6 : 9);
const lineKey = ({ engine, index, length }) => `line ${engine} ${index} ${length}`;
const NAMES = { black: report.game.black, white: report.game.white };
const dot = (engine) => html("span", { class: "dot", style: `background:var(--engine-${engine % 4})` });
const playerName = (side) => NAMES[side] || text(side);

const drawHeader = () => {
  const { event, start_time: time, outcome, reason, name, handicap, openings } = report.game;
  const named = report.game.black || report.game.white;
  byId("title").textContent = named ? `☗${playerName("black")} – ☖${playerName("white")}` : name;
  const result = RESULTS[outcome];
  const how = reason ? text("reasons")[reason] : "";
  const facts = [event, time, handicap && nameText(handicap), openings.map(formationText).join(" "), text("plies", report.game.moves.length), result ? text(result) : "", how, report.complete ? "" : text("incomplete")];
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
  for (const id of ["title", "facts"]) byId(id).title = byId(id).textContent;
  document.title = byId("title").textContent;
  drawLabels();
};

const playersOf = (state) => {
  const isLast = state.ply === report.positions.length - 1 && !state.line;
  const won = (side) => (isLast && report.game.outcome === side ? [html("span", { class: "won" }, text("won"))] : []);
  const hand = (side) => (input.mayMove() ? handButtons(shownPosition(), side) : null);
  return Object.fromEntries(["black", "white"].map((side) => [side, { name: playerName(side), notes: won(side), hand: hand(side) }]));
};

const drawBar = (state) => {
  const here = winAt(state.ply, state.engine);
  const bar = byId("bar");
  bar.className = state.flipped ? "bar flipped" : "bar";
  byId("bar-black").style.height = here ? percentText(here.win, 1) : "50%";
  byId("bar-value").textContent = here ? String(Math.round(100 * here.win)) : "";
  bar.setAttribute("aria-label", `${text("winBlack")} ${here ? percentText(here.win) : "–"}`);
};

const drawVerdict = (state) => {
  const { ply, engine, line } = state;
  const nodes = [];
  if (line) {
    const found = shownLine(ply, line);
    const kind = { [RECORD]: "variationShown", [OWN]: "ownShown", [REASON]: "reasonShown" }[line.engine] ?? "lineShown";
    nodes.push(html("div", { class: "head" }, pvTexts(found)[line.length - 1], html("small", {}, text(kind, line.length, found.pv.length)),
      html("button", { type: "button", "data-key": "leave", onclick: () => show({ line: null }) }, text("leaveLine"))));
    if (line.engine === OWN) nodes.push(html("p", {}, text("ownNote")));
    else if (line.engine === REASON) nodes.push(html("p", {}, language === "ja" ? found.japanese : found.english));
    else nodes.push(line.engine === RECORD ? commentText(found.comments[line.length - 1]) : html("p", {}, `${report.engines[line.engine].name}: ${valueText(found, isBlackToMove(ply), found.bound_black)}`));
  } else if (ply === 0) {
    nodes.push(html("div", { class: "head" }, text("start"), valueNote(state)));
  } else {
    const played = report.positions[ply - 1].played;
    const mark = markBefore(ply, engine);
    const badge = mark ? html("span", { class: `badge ${mark}` }, `${GLYPHS[mark]} ${text(mark)}`) : null;
    const time = played.milliseconds === null ? null : html("small", {}, secondsText(played.milliseconds));
    nodes.push(html("div", { class: "head" }, html("small", {}, text("ply", ply)), moveText(played), badge, time, valueNote(state)));
    nodes.push(judgementText(ply, engine), reasonText(ply));
  }
  if (!line) nodes.push(commentText(commentAt(ply)));
  byId("verdict").replaceChildren(...nodes.filter(Boolean));
};

// Why the move before a position is bad, and a button that shows it from the position before.
const reasonText = (ply) => {
  const { reason } = report.positions[ply - 1].played;
  if (!reason) return null;
  const line = { engine: REASON, index: 0, length: 1 };
  const act = () => { show({ ply: ply - 1, line: null }); show({ line }); };
  return html("p", { class: "reason" }, html("b", {}, text("why")), " ", language === "ja" ? reason.japanese : reason.english, " ",
    reason.pv.length ? html("button", { type: "button", "data-key": "reason", onclick: act }, text("showReason")) : null);
};

const commentText = (comment) => (comment ? html("p", { class: "comment" }, comment) : null);

// The value of the position, for the selected engine.
const valueNote = ({ ply, engine }) => {
  const position = report.positions[ply];
  if (position.legal_moves === 0) return html("small", {}, text("over"));
  const search = position.searches[engine];
  if (!search) return html("small", {}, text("notSearched"));
  if (!search.value) return html("small", {}, text("none"));
  if (search.best === "win") return html("small", {}, `${text("win")}, ${text("winBlack")} ${percentText(search.value.win_black)}`);
  const sigma = search.sigma === null ? "" : ` ±${search.sigma.toFixed(0)}`;
  return html("small", {}, `${text("value")} ${valueText(search.value, isBlackToMove(ply))}${sigma}, ${text("winBlack")} ${percentText(search.value.win_black)}`);
};

const judgementText = (ply, engine) => {
  const judged = judgedBefore(ply, engine);
  const search = report.positions[ply - 1].searches[engine];
  const played = report.positions[ply - 1].played.move;
  const parts = [];
  const resigns = search?.best === "resign";
  if (!judged || judged.loss === null) return html("p", {}, resigns ? text("engineResigns") : search ? text("none") : text("notSearched"));
  if (judged.unjudged) parts.push(text(judged.unjudged));
  else if (search.best === played) parts.push(text("bestMove"));
  else if (judged.loss >= 0.005) parts.push(text("loss", percentText(judged.loss)));
  const note = html("p", {}, parts.join(", "));
  const best = search.lines[0];
  const comma = parts.length ? ", " : "";
  if (resigns) note.append(comma, text("engineResigns"));
  else if (search.best === "win") note.append(comma, `${text("bestWas")} `, html("b", {}, text("declaration")));
  else if (search.best !== played && best && best.move !== played) {
    note.append(comma, `${text("bestWas")} `, html("b", {}, pvTexts(best)[0]), ` (${valueText(best, isBlackToMove(ply - 1), best.bound_black)})`);
  }
  if (judged.source === "searchmoves" || judged.source === "next") {
    note.append(html("small", {}, ` · ${text(judged.source)} ${valueText(judged, isBlackToMove(ply - 1))}`));
  }
  return note;
};

const drawLegend = (state) => {
  const choice = (engine, index) => report.engines.length === 1
    ? html("span", { class: "only" }, dot(index), engine.name)
    : html("button", { type: "button", "data-key": `engine ${index}`, "aria-pressed": index === state.engine ? "true" : "false", onclick: () => show({ engine: index }) }, dot(index), engine.name);
  byId("legend").replaceChildren(...report.engines.map(choice), html("span", { class: "axis" }, `${text("winBlack")} / ${text("centipawns")}`));
};

const pvTexts = (line) => (language === "ja" ? line.pv_japanese : line.pv_western);
const expanded = new Set();

const drawCandidates = (state) => {
  const nodes = report.engines.map((engine, index) => {
    const position = report.positions[state.ply];
    const search = position.searches[index];
    const facts = [];
    if (search) {
      const depth = search.lines[0]?.depth;
      if (depth) facts.push(text("depth", depth));
      if (search.nodes) facts.push(text("nodes", countText(search.nodes)));
      if (search.sigma !== null) facts.push(text("sigma", search.sigma.toFixed(0)));
    }
    const head = html("div", { class: "head" }, dot(index), html("b", {}, engine.name), html("span", {}, facts.join(" · ")));
    return html("div", { class: "engine" }, head, ...linesOf(state, position, search, index));
  });
  byId("candidates").replaceChildren(...nodes, ...recordBlock(state), ...ownBlock(state));
};

// A move of a line; the button shows the board after it.
const moveOfLine = (state, name, place) => {
  const isShown = state.line && lineKey(state.line) === lineKey(place);
  return html("button", { type: "button", "data-key": lineKey(place), "aria-pressed": isShown ? "true" : "false", onclick: () => show({ line: place }) }, name);
};

// The reader's own moves, below all other lines.
const ownBlock = (state) => {
  const line = ownLines.get(state.ply);
  if (!line) return [];
  const moves = pvTexts(line).flatMap((name, at) => [moveOfLine(state, name, { engine: OWN, index: 0, length: at + 1 }), " "]);
  return [html("div", { class: "engine" }, html("div", { class: "head" }, html("b", {}, text("ownLabel"))), html("div", { class: "pv" }, ...moves))];
};

// The record's variations, below the lines of the engines.
const recordBlock = (state) => {
  const lines = recordLines[state.ply];
  if (lines.length === 0) return [];
  const row = (line, index) => {
    const moves = pvTexts(line).flatMap((name, at) => [moveOfLine(state, line.comments[at] ? `${name}${COMMENTED}` : name, { engine: RECORD, index, length: at + 1 }), " "]);
    return html("div", { class: "pv" }, ...moves);
  };
  return [html("div", { class: "engine" }, html("div", { class: "head" }, html("b", {}, text("variationsLabel"))), ...lines.map(row))];
};

const linesOf = (state, position, search, engine) => {
  if (position.legal_moves === 0) return [html("div", {}, text("over"))];
  if (!search) return [html("div", {}, text("notSearched"))];
  // If the engine declares a win or resigns, its lines are no advice.
  const advice = playsNoMove(search) ? [html("div", { class: "advice" }, text(search.best))] : [];
  if (search.lines.length === 0) return advice.length ? advice : [html("div", {}, `${search.best} – ${text("noLines")}`)];
  return advice.concat(search.lines.map((line, index) => {
    const key = `${state.ply} ${engine} ${index}`;
    const texts = pvTexts(line);
    const shown = expanded.has(key) ? texts.length : Math.min(texts.length, shownPvMoves());
    const pv = html("div", { class: "pv" });
    texts.slice(0, shown).forEach((name, at) => {
      pv.append(moveOfLine(state, name, { engine, index, length: at + 1 }), " ");
      if (at === 0 && position.played && line.move === position.played.move) pv.append(html("span", { class: "played" }, text("played")), " ");
    });
    if (shown < texts.length) {
      pv.append(html("button", { type: "button", class: "more", "data-key": `more ${engine} ${index}`, "aria-label": text("plies", texts.length), onclick: () => { expanded.add(key); show({}); takeFocus(lineKey({ engine, index, length: shown + 1 })); } }, `… +${texts.length - shown}`));
    }
    const value = valueText(line, position.turn === "black", line.bound_black);
    return html("div", { class: "line" }, html("div", { class: "value" }, value, html("span", { class: "win" }, percentText(line.win_black))), pv);
  }));
};
