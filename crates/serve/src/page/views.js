// What is shown: the board, the players, the moves, the lines of the engine, the graph.
let mode = "play";
let hintMove = null;
const thoughts = { node: null, lines: [] };

const shownPosition = () => input.edit ?? (isStarting() ? positionOf(chosenStart()) : boardOfLine()?.position ?? positionAt(here));
// The king of the side to move, if it is in check.
const kingInCheck = ({ cells, blackToMove }) => (here.facts?.in_check && !input.edit && !isStarting() && !boardOfLine() ? cells.findIndex((piece) => piece?.kind === "K" && piece.black === blackToMove) : null);
// The status, and beside it the effect of a press on a button. `told`: what gives the words of the
// last status, and the position that it is about, or null.
const noWords = () => "";
const told = { tell: noWords, at: null };
const announce = (tell, at = null) => { Object.assign(told, { tell, at }); if (!at || at === here) showStatus(tell()); };
const showStatus = (words) => { byId("status").textContent = words; announceMore(""); };
// A status that leaves what stands beside it.
const sayStatus = (tell, at = null) => { Object.assign(told, { tell, at }); byId("status").textContent = tell(); };
// Shows the last status. At another position it is not true.
const tellAgain = () => showStatus(!told.at || here === told.at ? told.tell() : mode === "analyze" ? "" : lookingText());
const lookingText = () => text(isWatched() ? "earlier" : "lookingBack");
const keepStatusTrue = () => { if (told.at) tellAgain(); };
// Words that are given as a function are said again in another language.
const toldMore = { tell: null };
const announceMore = (words) => {
  toldMore.tell = typeof words === "function" ? words : null;
  clearError();
  byId("notice").textContent = toldMore.tell?.() ?? words;
  byId("drawer-words").textContent = "";
};
const showTold = () => byId("told").scrollIntoView({ block: "nearest" });
// What a press in the drawer does is said there too, in sight.
const announceBelow = (words) => { announceMore(words); byId("drawer-words").textContent = words; };

const winOf = (value) => (value.cp === undefined ? Number(value.mate > 0) : winOfCentipawns(value.cp, settings.thresholds.scale));

// The sides of a handicap game have other names.
const sideName = (side, start = game.start) => text(start !== EVEN && settings.handicaps.some(({ sfen }) => sfen === start) ? { black: "shitate", white: "uwate" }[side] : side);
// Names that the page gave are shown in the present language.
const nameShown = (name) => (levelIn(name) !== null ? levelText(levelIn(name)) : Object.values(TEXTS).some(({ you }) => you === name) ? text("you") : name);
const headNames = () => {
  if (mode === "solve") { const attacker = sideToMove(game.root); return { [attacker]: text("attacker"), [otherSide(attacker)]: text("defender") }; }
  if (!isStarting()) return game.head;
  return isRandomSide() ? {} : namesOfLevels(chosenLevels(byId("side").value));
};
const namesOfPlayers = () => {
  const names = headNames();
  return Object.fromEntries(SIDES.map((side) => [side, (!input.edit && nameShown(names[side] ?? "")) || sideName(side, isStarting() ? chosenStart() : game.start)]));
};

const isThinkingShown = () => mode !== "play" || byId("show-thinking").checked || !match || match.over || isWatched();
// Not while a position or the next game is set up.
const isGameShown = () => !input.edit && !isStarting();
// Weaker levels misjudge what they see: their values would mislead.
const isJudgeable = (node) => mode !== "play" || match?.levels[sideToMove(node)] === settings.levels;

// The best moves of the shown position that an analysis has found, the best first.
const bestMoves = () => (thoughts.node === here && thoughts.lines.length ? thoughts.lines.slice(0, 3).map(({ moves }) => moves[0]?.move) : here.search?.moves.slice(0, 1) ?? []);

const drawPosition = () => {
  const [position, line] = [shownPosition(), boardOfLine()];
  const arrows = line ? [] : hintMove ? [{ move: hintMove, rank: 1 }]
    : mode === "analyze" && !input.edit ? bestMoves().map((move, rank) => ({ move, rank: rank + 1 })).filter(({ move }) => move) : [];
  drawBoard(position, { lastMove: input.edit || isStarting() ? null : line?.lastMove ?? here.move, arrows, flipped, label: text("boardLabel"), tints: tintsOfInput(), dots: targetsOfInput(), check: kingInCheck(position) });
  drawSquares(position);
  const names = namesOfPlayers();
  // After the end nobody is to move.
  const isOver = !input.edit && !isStarting() && (here.facts?.end || (mode === "play" && match?.over && here === match.at));
  drawPlayers(isOver ? { ...position, blackToMove: null } : position, flipped, Object.fromEntries(["black", "white"].map((side) => [side, { name: names[side], notes: clockOf(side), hand: handButtons(position, side) }])));
};
const draw = () => keepFocus(() => {
  // A line belongs to the position that it was opened at.
  if ([lines.shown, lines.peeked].some((line) => line && (line.at !== here || input.edit || isStarting()))) forgetLines();
  // What is shown after a game is not played in it.
  lines.add = mode === "analyze" ? ({ from, moves, length }) => playLine(from, moves, length) : null;
  drawPosition();
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
  const value = isThinkingShown() ? valueOf(here) ?? (mode === "play" ? here.parent?.value : null) : null;
  byId("bar").hidden = !value || !isGameShown();
  if (byId("bar").hidden) return;
  byId("bar").className = flipped ? "bar flipped" : "bar";
  byId("bar-black").style.height = `${100 * winOf(value)}%`;
  byId("bar").setAttribute("aria-label", text("bar", sideName("black"), percentText(winOf(value))));
};

// The position whose comment is shown. A comment that is being written stays when a move is played.
let commented = null;
// A comment of a record opens the drawer that it is in.
const showComment = () => {
  if (document.activeElement === byId("comment") && mode === "play") return;
  commented = here;
  byId("comment").value = here.comment;
  if (here.comment && mode === "analyze") byId("drawer").open = true;
};
// A piece that is selected, a question about it, a hint, a shown line and a first press belong to a
// position.
const leavePosition = () => {
  asked.what = null;
  forgetLines();
  hintMove = null;
  input.selected = null;
  closePromotion();
};
const goTo = (node) => {
  // A position that is being set up belongs to no record.
  if (input.edit) return announceMore(text("useFirst"));
  if (node === here) return lines.shown && showLine(null);
  here = node;
  leavePosition();
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

const listedMove = (node, ply) => {
  const isJudged = isThinkingShown();
  return {
    key: `move ${movesTo(node).join(" ")}`, ply, named: node, mark: isJudged ? markOf(node) : null, comment: node.comment, milliseconds: node.milliseconds,
    value: isJudged && valueOf(node) ? scoreText(valueOf(node)) : null, isHere: node === here, go: () => goTo(node), branches: [...(node === nextOf(node.parent) ? branchesAt(node.parent, ply) : []), ...(node.ending ? branchesAt(node, ply + 1) : [])],
  };
};
const listedLine = (first, ply) => lineFrom(first).map((node, index) => listedMove(node, ply + index));
const branchesAt = (node, ply) => othersOf(node).map((other) => listedLine(other, ply));

const endText = ({ outcome, reason, remark }) => {
  const isDecided = outcome === "black" || outcome === "white";
  if (!outcome && reason === "interrupted") return text("gameStopped");
  const result = !isDecided ? (outcome ? text("draw") : "")
    : mode === "play" && match?.human ? text(outcome === match.human ? "youWin" : "youLose") : text("sideWins", sideName(outcome));
  return [result, reason ? text("reasons")[reason] : "", remark].filter(Boolean).join(" · ");
};
const resultText = () => endText(endOf(game));
const drawMoves = () => {
  const [{ root }, isShown] = [game, isGameShown()];
  drawMoveList(isShown && nextOf(root) ? listedLine(nextOf(root), 1) : [], isShown ? resultText() : "", !positionOf(game.start).blackToMove, isShown && root.ending ? branchesAt(root, 1) : []);
};

// Adds a line to the record, and goes to one of its moves.
const playLine = (from, moves, count) => {
  const nodes = moves.reduce((path, named) => [...path, addMove(path.at(-1), named)], [from]);
  goTo(nodes[count]);
  draw();
  keepGame();
  announceMore(text("lineAdded"));
};
const drawCandidates = () => {
  // The lines wait while one of them is shown or the mouse is on one, and the search goes on.
  const { node, lines: found } = (lines.shown ?? lines.peeked)?.among ?? thoughts;
  // In a game the engine's lines stay until its next turn.
  const isAbout = node === here || (mode === "play" && node === here.parent);
  const hasValues = found.length > 0 && isJudgeable(node);
  // What a weaker level sees is for those who ask for it.
  const isWanted = hasValues ? isThinkingShown() : byId("show-thinking").checked;
  const shown = isWanted && isAbout && isGameShown() ? found : [];
  byId("candidates").hidden = shown.length === 0;
  const facts = shown.length ? [text("depth", shown[0].depth), text("nodes", shown[0].nodes.toLocaleString()), hasValues && text("forSide", sideName("black"))] : [];
  const row = ({ value, bound, moves }, rank) => lineRow(lineOf(`${rank}`, node, moves, { among: { node, lines: found } }),
    // A win that is declared has no moves, and is no mate.
    moves.length === 0 ? { value: null, before: text("declaresWin") } : hasValues ? { value: scoreText(value, bound), win: winOf(value) } : { value: null });
  byId("candidates").replaceChildren(engineBlock([html("b", {}, "Kiki")], facts, shown.map(row)));
};
// The position of the line that the board shows, or null.
const shownSfen = () => (lines.shown ? sfenOf(shownPosition(), plyOf(lines.shown.from) + lines.shown.length + 1) : null);
const lineOf = (key, from, moves, more = {}) => ({ key, moves, start: positionAt(from), from, at: here, ...more });
Object.assign(lines, { onShow: () => draw(), onPeek: () => drawPosition() });

// Black's winning probability along the shown line.
const shownLineOfGame = () => [game.root, ...pathTo(here)].slice(0, -1).concat(lineFrom(here));
const scaleOfLine = () => graphScale(byId("graph"), shownLineOfGame().length);
const marksOfLine = () => (isThinkingShown() ? shownLineOfGame().map(markOf) : []);
const drawGraph = () => {
  const line = shownLineOfGame();
  const points = line.map(valueOf).map((value) => (value ? { win: winOf(value), low: null, high: null } : null));
  byId("graph-card").hidden = points.filter(Boolean).length < 2 || !isThinkingShown() || !isGameShown();
  if (byId("graph-card").hidden) return;
  const axis = text("chances", sideName("black"));
  const marks = line.map(markOf);
  drawTally(line, marks);
  drawWorst(line, marks);
  byId("chances").textContent = `${axis} / ${text("centipawns")}`;
  drawChances(scaleOfLine(), {
    points: [points], marks, engine: 0, ply: plyOf(here), centipawns: settings.thresholds.scale,
    describe: (shown) => `${text("ply", plyOf(here))}, ${axis} ${shown ? percentText(shown.win) : "–"}`,
  });
};
// How many bad moves each side has made.
const drawTally = (line, marks) => {
  const marksOf = (side) => marks.filter((mark, ply) => mark && sideToMove(line[ply].parent) === side);
  const counts = (side) => Object.keys(GLYPHS).reverse().map((mark) => `${text(mark)} ${marksOf(side).filter((found) => found === mark).length}`).join(text("comma"));
  byId("tally").replaceChildren(...(line.some(winsAround) ? SIDES.map((side) => html("span", {}, `${sideName(side)}: ${counts(side)}`)) : []));
};
// The moves that lose most, as buttons.
const MOST_WORST = 3;
const drawWorst = (line, marks) => {
  const bad = line.filter((node, ply) => isBadMark(marks[ply])).map((node) => ({ node, loss: lossOf(node) })).sort((a, b) => b.loss - a.loss).slice(0, MOST_WORST);
  byId("worst").replaceChildren(...(bad.length ? [text("worst"), ...bad.map(({ node, loss }) => html("button", { type: "button", "data-key": `worst ${plyOf(node)}`, "aria-current": node === here ? "true" : null, onclick: () => goTo(node) }, `${plyOf(node)} ${moveText(node)} −${percentText(loss)}`))] : []));
};
const badMove = (by) => { const at = nearestBad(marksOfLine(), plyOf(here), by); return at === null ? null : shownLineOfGame()[at]; };

// A button that takes two presses shows when the next one counts.
const drawSure = (id, label) => {
  const [words, other] = isAsked(id) ? [`${label}Sure`, label] : [label, `${label}Sure`];
  byId(id).textContent = text(words);
  byId(id).dataset.other = text(other);
  byId(id).classList.toggle("sure", isAsked(id));
};
// Marks the buttons that cannot be used now. They keep the focus, so they are not `disabled`.
const setIdle = (id, isIdle) => byId(id).setAttribute("aria-disabled", isIdle);
const drawButtons = () => {
  setIdle("first", !here.parent); setIdle("back", !here.parent && !lines.shown);
  setIdle("forward", !nextOf(here) && !lines.shown); setIdle("last", !nextOf(here));
  for (const [id, by] of [["bad-back", -1], ["bad-forward", 1]]) { setIdle(id, !badMove(by)); byId(id).hidden = mode !== "analyze"; }
  byId("panel-play").hidden = mode !== "play" || isStarting();
  byId("thinking-choice").hidden = mode !== "play";
  if (match && mode === "play") {
    setIdle("take-back", !mayTakeBack()); setIdle("hint", !input.mayMove()); setIdle("resign", match.over);
    drawSure("resign", "resignGame");
    drawWatch();
    byId("declare").hidden = !(input.mayMove() && here.facts?.may_declare);
  }
  byId("main-line").hidden = mode !== "analyze";
  setIdle("main-line", !mayBeMain());
  drawSure("remove", "remove");
  byId("keep-it").hidden = mode !== "play" || !match?.over || match.isKept;
  // What was played in a game is taken back, not removed.
  setIdle("remove", !here.parent || mode === "solve" || (mode === "play" && Boolean(match) && pathTo(match.at).includes(here)));
  const isDefenders = plyOf(here) % 2 === 1;
  setIdle("solve-hint", isDefenders || (solving.state !== "open" && !solving.before));
  setIdle("again", solving.state === "defending"); setIdle("solution", isDefenders);
  byId("forget").hidden = !progress.own.some(({ sfen }) => sfen === shownProblem()?.sfen);
  byId("problem-grade").parentNode.hidden = !LENGTHS.includes(Number(progress.set));
  byId("restore").hidden = !replaced;
  byId("analyze-this").hidden = mode === "analyze";
  byId("analyze-this").textContent = text(mode === "solve" ? "analyzePosition" : "analyzeThis");
  byId("whole").textContent = text(analysis.whole ? "stopWhole" : "wholeGame");
  byId("engine").setAttribute("aria-pressed", analysis.on);
  byId("engine").textContent = text(analysis.on ? "engineOff" : "engineOn");
  document.querySelectorAll("#palette button").forEach((node) => node.setAttribute("aria-pressed", node.dataset.kind === input.kind));
};
