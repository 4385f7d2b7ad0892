// What is shown: the board, the players, the moves, the lines of the engine, the graph.
let mode = "play";
let hintMove = null;
const thoughts = { node: null, lines: [] };

const shownPosition = () => input.edit ?? (isStarting() ? positionOf(chosenStart()) : positionAt(here));
// The king of the side to move, if it is in check.
const kingInCheck = ({ cells, blackToMove }) => (here.facts?.in_check && !input.edit && !isStarting() ? cells.findIndex((piece) => piece?.kind === "K" && piece.black === blackToMove) : null);
// The status, and beside it the effect of a press on a button. `told`: the last status, and the
// position that it is about, or null.
const told = { words: "", at: null };
const announce = (words, at = null) => { Object.assign(told, { words, at }); if (!at || at === here) showStatus(words); };
const showStatus = (words) => { byId("status").textContent = words; announceMore(""); };
// At another position that status is not true.
const keepStatusTrue = () => { if (told.at) showStatus(here === told.at ? told.words : mode === "analyze" ? "" : text("lookingBack")); };
const announceMore = (words) => { clearError(); byId("notice").textContent = words; };

const winOf = (value) => (value.cp === undefined ? Number(value.mate > 0) : winOfCentipawns(value.cp, settings.thresholds.scale));

// The sides of a handicap game have other names.
const sideName = (side, start = game.start) => text(start !== EVEN && settings.handicaps.some(({ sfen }) => sfen === start) ? { black: "shitate", white: "uwate" }[side] : side);
const namesOfPlayers = () => ({ black: game.head.black || sideName("black"), white: game.head.white || sideName("white") });

const isThinkingShown = () => mode !== "play" || byId("show-thinking").checked || !match || match.over || isWatched();
// Weaker levels misjudge what they see: their values would mislead.
const isJudgeable = (node) => mode !== "play" || match?.levels[sideToMove(node)] === settings.levels;

const draw = () => keepFocus(() => {
  const position = shownPosition();
  const arrows = hintMove ? [{ move: hintMove, rank: 1 }]
    : thoughts.node === here && mode === "analyze" && !input.edit ? thoughts.lines.slice(0, 3).map(({ moves }, rank) => ({ move: moves[0]?.move, rank: rank + 1 })).filter(({ move }) => move) : [];
  drawBoard(position, { lastMove: input.edit || isStarting() ? null : here.move, arrows, flipped, label: text("boardLabel"), tints: tintsOfInput(), dots: targetsOfInput(), check: kingInCheck(position) });
  drawSquares(position);
  const names = namesOfPlayers();
  drawPlayers(position, flipped, Object.fromEntries(["black", "white"].map((side) => [side, { name: names[side], notes: clockOf(side), hand: handButtons(position, side) }])));
  drawBar();
  drawStart();
  drawBanner();
  drawMoves();
  drawVerdict();
  drawCandidates();
  drawGraph();
  drawButtons();
  drawWaiting();
});

const drawBar = () => {
  // After a move of Kiki the value is that of the position before it.
  const value = isThinkingShown() ? here.value ?? (mode === "play" ? here.parent?.value : null) : null;
  byId("bar").hidden = !value;
  if (!value) return;
  byId("bar").className = flipped ? "bar flipped" : "bar";
  byId("bar-black").style.height = `${100 * winOf(value)}%`;
  byId("bar-value").textContent = String(Math.round(100 * winOf(value)));
  byId("bar").setAttribute("aria-label", text("bar", sideName("black"), percentText(winOf(value))));
};

// A comment of a record opens the drawer that it is in.
const showComment = () => {
  byId("comment").value = here.comment;
  if (here.comment && mode === "analyze") byId("drawer").open = true;
};
const goTo = (node) => {
  if (node === here) return;
  here = node;
  hintMove = null;
  input.selected = null;
  closePromotion();
  showComment();
  announceMore("");
  keepStatusTrue();
  draw();
  keepGame();
  withFacts(here, () => { draw(); onArrival(); });
};
// Called when a position with known facts is shown.
const onArrival = () => {
  if (mode !== "analyze" || input.edit) return;
  followAnalysis();
  if (here.facts?.end) announceMore(endText(here.facts.end));
};

const markNode = (node) => {
  const mark = isThinkingShown() ? markOf(node) : null;
  return mark ? html("span", { class: `mark ${mark}`, title: text(mark) }, GLYPHS[mark]) : null;
};
const moveButton = (node, ply) => html("button", { type: "button", "data-key": `move ${movesTo(node).join(" ")}`, "aria-current": node === here ? "true" : null, onclick: () => goTo(node) },
  html("span", { class: "number" }, String(ply)), html("span", {}, moveText(node)), markNode(node),
  node.comment ? html("span", { class: "commented", title: text("comment") }, "※") : null,
  node.value && isThinkingShown() ? html("span", { class: "value" }, scoreText(node.value)) : null);

// A variation in one row, with its own variations within.
const branchItem = (first, ply) => {
  const line = [first];
  while (line.at(-1).children.length) line.push(line.at(-1).children[0]);
  const inner = line.flatMap((node, index) => node.children.slice(1).map((other) => branchItem(other, ply + index + 1)));
  return html("li", { class: "branch", "aria-label": text("variation") }, html("div", {}, ...line.map((node, index) => moveButton(node, ply + index))), inner.length ? html("ol", {}, ...inner) : null);
};

const endText = ({ outcome, reason, remark }) => {
  const isDecided = outcome === "black" || outcome === "white";
  const result = !isDecided ? (outcome ? text("draw") : "")
    : mode === "play" && match?.human ? text(outcome === match.human ? "youWin" : "youLose") : text("sideWins", sideName(outcome));
  return [result, reason ? text("reasons")[reason] : "", remark].filter(Boolean).join(" · ");
};
const resultText = () => endText(game);
const drawMoves = () => {
  const nodes = [];
  mainLine().forEach((node, ply) => {
    if (ply > 0) nodes.push(html("li", {}, moveButton(node, ply)));
    if (ply > 0) for (const other of node.parent.children.slice(1)) nodes.push(branchItem(other, ply));
  });
  const words = resultText();
  if (words) nodes.push(html("li", { class: "end" }, words));
  const list = byId("moves");
  list.parentElement.hidden = nodes.length === 0;
  list.replaceChildren(...nodes);
  showCurrent();
};
// Brings the current move into the list's view.
const showCurrent = () => {
  const list = byId("moves");
  const current = list.querySelector("[aria-current]");
  if (!current) list.scrollTop = 0;
  else if (current.offsetTop < list.scrollTop || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = current.offsetTop - list.clientHeight / 2;
};

// The lines of the engine. A press on a move plays the line up to it, as a variation.
const playLine = (from, moves, count) => {
  goTo(moves.slice(0, count).reduce((node, named) => addMove(node, named), from));
  announceMore(text("lineAdded"));
};
const LINE_MOVES = 12;
const drawCandidates = () => {
  // In a game the engine's lines stay until its next turn.
  const isAbout = thoughts.node === here || (mode === "play" && thoughts.node === here.parent);
  const shown = isThinkingShown() && isAbout && !input.edit ? thoughts.lines : [];
  byId("candidates").hidden = shown.length === 0;
  const hasValues = shown.length > 0 && isJudgeable(thoughts.node);
  const facts = shown.length ? [text("depth", shown[0].depth), text("nodes", shown[0].nodes.toLocaleString()), ...(hasValues ? [text("forSide", sideName("black"))] : [])].join(" · ") : "";
  const line = ({ value, bound, moves }, rank) => html("div", { class: "line" },
    hasValues ? html("div", { class: "value" }, scoreText(value, bound), html("span", { class: "win" }, percentText(winOf(value)))) : null,
    html("div", { class: "pv" }, ...moves.slice(0, LINE_MOVES).flatMap((named, at) => [html("button", { type: "button", "data-key": `line ${rank} ${at}`, onclick: () => { if (mode !== "play" || match?.over !== false) playLine(thoughts.node, moves, at + 1); } }, moveText(named)), " "])));
  byId("candidates").replaceChildren(html("div", { class: "engine" }, html("div", { class: "head" }, html("b", {}, "Kiki"), html("span", {}, facts)), ...shown.map(line)));
};

// Black's winning probability along the shown line.
const shownLineOfGame = () => { const path = [game.root, ...pathTo(here)]; while (path.at(-1).children.length) path.push(path.at(-1).children[0]); return path; };
const scaleOfLine = () => graphScale(byId("graph"), shownLineOfGame().length);
const marksOfLine = () => (isThinkingShown() ? shownLineOfGame().map(markOf) : []);
const drawGraph = () => {
  const line = shownLineOfGame();
  const points = line.map(({ value }) => (value ? { win: winOf(value), low: null, high: null } : null));
  byId("graph-card").hidden = points.filter(Boolean).length < 2 || !isThinkingShown();
  if (byId("graph-card").hidden) return;
  const axis = text("chances", sideName("black"));
  byId("chances").textContent = `${axis} / ${text("centipawns")}`;
  drawChances(scaleOfLine(), {
    points: [points], marks: line.map(markOf), engine: 0, ply: plyOf(here), centipawns: settings.thresholds.scale,
    describe: (shown) => `${text("ply", plyOf(here))}, ${axis} ${shown ? percentText(shown.win) : "–"}`,
  });
};
const badMove = (by) => { const at = nearestBad(marksOfLine(), plyOf(here), by); return at === null ? null : shownLineOfGame()[at]; };

// Marks the buttons that cannot be used now. They keep the focus, so they are not `disabled`.
const setIdle = (id, isIdle) => byId(id).setAttribute("aria-disabled", isIdle);
const drawButtons = () => {
  setIdle("first", !here.parent); setIdle("back", !here.parent);
  setIdle("forward", here.children.length === 0); setIdle("last", here.children.length === 0);
  for (const [id, by] of [["bad-back", -1], ["bad-forward", 1]]) { setIdle(id, !badMove(by)); byId(id).hidden = mode !== "analyze"; }
  byId("panel-play").hidden = mode !== "play" || isStarting();
  byId("thinking-choice").hidden = mode !== "play";
  if (match && mode === "play") {
    setIdle("take-back", !mayTakeBack()); setIdle("hint", !input.mayMove()); setIdle("resign", match.over);
    drawWatch();
    byId("declare").hidden = !(input.mayMove() && here.facts?.may_declare);
  }
  setIdle("remove", !here.parent || (mode === "play" && isGameOn()));
  setIdle("solve-hint", solving.state !== "open"); setIdle("again", solving.state === "defending");
  byId("forget").hidden = !progress.own.some(({ sfen }) => sfen === shownProblem()?.sfen);
  byId("problem-grade").parentNode.hidden = !LENGTHS.includes(Number(progress.set));
  byId("restore").hidden = !replaced;
  byId("analyze-this").hidden = mode === "analyze";
  byId("whole").textContent = text(analysis.whole ? "stopWhole" : "wholeGame");
  byId("engine").setAttribute("aria-pressed", analysis.on);
  byId("engine").textContent = text(analysis.on ? "engineOff" : "engineOn");
  document.querySelectorAll("#palette button").forEach((node) => node.setAttribute("aria-pressed", node.dataset.kind === input.kind));
};
