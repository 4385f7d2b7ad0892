// The panels around the board and the graph.
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
  const isLast = state.ply === report.positions.length - 1 && !lines.shown;
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
  const { ply, engine } = state;
  const nodes = [];
  if (lines.shown?.isRecord) {
    const { moves, length } = lines.shown;
    nodes.push(html("div", { class: "head" }, moveText(moves[length - 1])), commentText(moves[length - 1].comment), wayBack(lines.shown));
  } else if (ply === 0) {
    nodes.push(html("div", { class: "head" }, text("start"), html("small", {}, valueNote(state))), commentText(commentAt(ply)));
  } else {
    const { played } = report.positions[ply - 1];
    nodes.push(verdictHead(ply, played, markBefore(ply, engine), played.milliseconds !== null && secondsText(played.milliseconds), valueNote(state)));
    // The line of a reason begins in the position before.
    nodes.push(judgementText(ply, engine), ...(played.reason ? reasonNodes(text("why"), played.reason, lineAt(ply - 1, "reason", [])) : []), commentText(commentAt(ply)));
  }
  if (ownLines.has(ply)) nodes.push(engineBlock([html("b", {}, text("ownLabel"))], [], [...lineMoves(ownLine(ply), { most: Infinity }), html("p", {}, text("ownNote"))]));
  byId("verdict").replaceChildren(...nodes.filter(Boolean));
};

const commentText = (comment) => (comment ? html("p", { class: "comment" }, comment) : null);

// The value of the position, for the selected engine.
const valueNote = ({ ply, engine }) => {
  const position = report.positions[ply];
  if (position.legal_moves === 0) return text("over");
  const search = position.searches[engine];
  if (!search) return text("notSearched");
  if (!search.value) return text("none");
  if (search.best === "win") return `${text("win")}, ${text("winBlack")} ${percentText(search.value.win_black)}`;
  const sigma = search.sigma === null ? "" : ` ±${search.sigma.toFixed(0)}`;
  return `${text("value")} ${valueText(search.value, isBlackToMove(ply))}${sigma}, ${text("winBlack")} ${percentText(search.value.win_black)}`;
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
  else if (judged.loss >= LEAST_SHOWN) parts.push(text("loss", percentText(judged.loss)));
  const note = html("p", {}, parts.join(", "));
  const best = search.lines[0];
  const comma = parts.length ? ", " : "";
  if (resigns) note.append(comma, text("engineResigns"));
  else if (search.best === "win") note.append(comma, `${text("bestWas")} `, html("b", {}, text("declaration")));
  else if (search.best !== played && best && best.move !== played) {
    note.append(comma, `${text(judged.loss < LEAST_SHOWN ? "asGood" : "bestWas")} `, html("b", {}, firstMove(best)), ` (${valueText(best, isBlackToMove(ply - 1), best.bound_black)})`);
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

const drawCandidates = ({ ply }) => {
  const position = report.positions[ply];
  const nodes = report.engines.map((engine, index) => {
    const search = position.searches[index];
    const depth = search?.lines[0]?.depth;
    const facts = search ? [depth && text("depth", depth), search.nodes && text("nodes", countText(search.nodes)), search.sigma !== null && text("sigma", search.sigma.toFixed(0))] : [];
    return engineBlock([dot(index), html("b", {}, engine.name)], facts, rowsOf(position, search, index));
  });
  byId("candidates").replaceChildren(...nodes);
};

const rowsOf = (position, search, engine) => {
  if (position.legal_moves === 0) return [html("div", {}, text("over"))];
  if (!search) return [html("div", {}, text("notSearched"))];
  // If the engine declares a win or resigns, its lines are no advice.
  const advice = playsNoMove(search) ? [html("div", { class: "advice" }, text(search.best))] : [];
  if (search.lines.length === 0) return advice.length ? advice : [html("div", {}, `${search.best} – ${text("noLines")}`)];
  return advice.concat(search.lines.map((line, index) => {
    const note = (at) => (at === 0 && line.move === position.played?.move ? html("span", { class: "played" }, text("played")) : null);
    return lineRow(lineAt(position.ply, `${engine} ${index}`, namedMoves(line)), { value: valueText(line, position.turn === "black", line.bound_black), win: line.win_black, note });
  }));
};
