// Analysis of the shown position, of whole games and of mates; records; positions set up by hand.
// `whole`: the positions of a game still to search; `missed`: its missed mates still to check; or
// `null`.
const analysis = { on: false, search: null, whole: null, missed: null };
const WHOLE_TIME = 400;
const WHOLE_LINES = 1;
const MATE_SECONDS = 10;

// Takes a line of a search. A line of rank 1 begins a new set.
const takeLine = (node, line) => {
  if (thoughts.node !== node) Object.assign(thoughts, { node, lines: [] });
  thoughts.lines = [...thoughts.lines.slice(0, line.rank - 1), line, ...thoughts.lines.slice(line.rank)];
  // A shallower search replaces no deeper one, and a bound no value. `reached`: the depth of the value.
  if (line.rank === 1 && !line.bound && isJudgeable(node) && line.depth >= (node.reached ?? node.search?.depth ?? 0)) Object.assign(node, { value: line.value, reached: line.depth });
  if (node === here) drawSoon();
};
// Lines come more often than they need drawing. Nothing is drawn during a press: a button that is
// replaced before its release gets no click.
let [drawWaits, isPressed] = [false, false];
for (const [kind, pressed] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
  addEventListener(kind, () => { isPressed = pressed; }, { capture: true });
}
const drawSoon = () => {
  if (drawWaits) return;
  drawWaits = true;
  const drawWhenFree = () => {
    if (isPressed) return requestAnimationFrame(drawWhenFree);
    drawWaits = false;
    draw();
  };
  requestAnimationFrame(drawWhenFree);
};

const endSearches = () => {
  stopSearch(analysis.search ?? match?.search ?? null);
  if (match) match.search = null;
  Object.assign(analysis, { on: false, search: null, whole: null, missed: null });
  Object.assign(thoughts, { node: null, lines: [] });
};

const searching = () => text("analyzing");
const followAnalysis = () => {
  if (!analysis.on || analysis.whole || input.edit) return;
  if (analysis.search !== null) server.waiting.delete(analysis.search);
  const at = here;
  if (at.facts?.legal.length === 0) { stopSearch(analysis.search); announce(() => text("tooFew"), at); return; }
  Object.assign(thoughts, { node: at, lines: [] });
  analysis.search = ask({ ask: "analyze", line: lineTo(at), lines: Number(byId("lines").value), limit: "none" }, (reply) => {
    if (reply.is === "line") takeLine(at, reply.line);
  });
  // What a press has brought stays beside it.
  if (!isConnected()) announce(noWords);
  else if (told.tell !== searching || told.at) announce(searching);
};
const toggleEngine = () => {
  if (input.edit) return announce(() => text("useFirst"));
  const [wasOn, shown] = [analysis.on, { ...thoughts }];
  endSearches();
  analysis.on = !wasOn;
  if (analysis.on) withFacts(here, onArrival);
  else { Object.assign(thoughts, shown); announce(() => text("engineStopped")); }
  draw();
};

// Searches every position of the shown line, one after the other.
const searchWhole = () => {
  if (input.edit) return announce(() => text("useFirst"));
  const isRunning = Boolean(analysis.whole);
  endSearches();
  if (isRunning) { announce(noWords); return draw(); }
  if (lines.shown) showLine(null);
  const line = shownLineOfGame();
  // A stopped search continues.
  const rest = line.filter((node) => !node.search && !node.facts?.end);
  analysis.whole = { line, rest: rest.length ? rest : line.slice() };
  announce(noWords);
  searchNext();
  draw();
};
// Searches the first of the rest, and then the others.
const searchNext = () => {
  const { whole } = analysis;
  const { line, rest: [node, ...others] } = whole;
  const go = () => { whole.rest = others; searchNext(); };
  sayStatus(() => text("progress", line.length - whole.rest.length, line.length));
  if (!node) {
    analysis.whole = null;
    keepStudied();
    collectMissed(line, (count) => { if (count) announceMore(`${byId("notice").textContent} ${text("matesKept", count)}`.trim()); });
    keepGame();
    return draw();
  }
  withFacts(node, (facts) => {
    if (analysis.whole !== whole) return;
    if (facts.end) return go();
    let found = null;
    analysis.search = ask({ ask: "analyze", line: lineTo(node), lines: WHOLE_LINES, limit: { milliseconds: WHOLE_TIME } }, (reply) => {
      if (reply.is === "line") { found = reply.line; return takeLine(node, found); }
      if (reply.is === "answer") {
        const moves = found?.moves[0]?.move === reply.mv?.move ? found?.moves ?? [] : [reply.mv];
        Object.assign(node, { value: reply.value, reached: found?.depth ?? 0 });
        node.search = { value: reply.value, depth: found?.depth ?? null, nodes: reply.nodes, moves: moves.filter(Boolean).map(({ move }) => move) };
        draw();
      }
      go();
    });
  });
};

const findMate = () => {
  if (input.edit) return announce(() => text("useFirst"));
  endSearches();
  draw();
  const at = here;
  const asking = () => searching();
  announce(asking, at);
  withFacts(at, ({ end }) => {
    if (end) return announce(() => endText(end), at);
    ask({ ask: "mate", line: lineTo(at), seconds: MATE_SECONDS }, ({ verdict, moves, nodes }) => {
      if (told.tell !== asking || mode !== "analyze") return;
      if (verdict === "no-mate") return announce(() => text("noMate"), at);
      if (verdict !== "mate") return announce(() => text("mateUnknown"), at);
      announce(() => text("mateFound", moves.length, moves.map(moveText).join(" ")), at);
      const mate = sideToMove(at) === "black" ? moves.length : -moves.length;
      Object.assign(thoughts, { node: at, lines: [{ value: { mate }, bound: null, depth: moves.length, nodes, moves }] });
      Object.assign(at, { value: { mate }, reached: Infinity });
      draw();
    });
  });
};

// The analysis that another game replaced, so that nothing is lost.
let replaced = null;
const isUntouched = (screen) => !screen || (screen.game.start === EVEN && screen.game.root.children.length === 0);
const showScreen = (screen) => {
  openGame(screen.game, screen.here);
  flipped = screen.flipped;
  draw();
};

// Replaces the shown game by another.
const openGame = (opened, node = opened.root) => {
  endSearches();
  const before = { game, here, flipped };
  if (mode === "analyze" && !isUntouched(before)) replaced = before;
  input.edit = null;
  flipped = false;
  for (const id of ["set-up", "open-record"]) byId(id).open = false;
  game = opened;
  here = node;
  keepStatusTrue();
  showComment();
  leavePosition();
  draw();
  withFacts(here, () => { draw(); onArrival(); });
  keepGame();
};
// The first end of a variation by an illegal move, if there is one.
const illegalEnd = (variations) => variations.map(({ ending, variations: inner }) => (ending?.reason === "illegal-move" && ending.remark ? ending : illegalEnd(inner))).find(Boolean);
const openRecord = ({ record, games, rest }) => {
  setMode("analyze");
  openGame(gameOfRecord(record));
  announce(noWords);
  const illegal = illegalEnd(record.variations);
  const fault = rest ? text("openedPartly", record.moves.length, refusalText(rest)) : record.reason === "illegal-move" && record.remark ? text("endsIllegal", record.remark) : illegal ? text("variationIllegal", illegal.remark) : "";
  announceMore([games > 1 ? text("manyGames", games) : fault ? "" : text("opened"), fault].filter(Boolean).join(text("stop")));
  showBoard();
  if (fault) showTold();
};
// Copies what is shown into the analysis.
const analyzeThis = () => {
  const copied = copyOf({ game, here, flipped });
  const isFirst = isUntouched(screens.analyze);
  if (isFirst) screens.analyze = copied;
  setMode("analyze");
  if (!isFirst) showScreen(copied);
};
const analyzeGame = () => {
  analyzeThis();
  searchWhole();
};
const restoreReplaced = () => {
  const before = replaced;
  replaced = null;
  announce(noWords);
  showScreen(before);
};
const openFile = async (file) => { sendRecord(file.name, await file.arrayBuffer()); };

// Positions set up by hand.
const KINDS = ["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
const drawPalette = () => {
  byId("palette").replaceChildren(...KINDS.map((kind) => html("button", { type: "button", class: "movable", "data-kind": kind, "aria-label": text("pieceNames")[kind], onclick: () => { input.kind = kind; drawButtons(); } }, pieceIcon(kind))));
};
const beginEdit = (position) => {
  endSearches();
  announce(noWords);
  leavePosition();
  input.edit = { cells: position.cells.slice(), hands: { black: { ...position.hands.black }, white: { ...position.hands.white } }, blackToMove: position.blackToMove };
  draw();
};
const EMPTY = { cells: Array(81).fill(null), hands: { black: {}, white: {} }, blackToMove: true };
// Asks the server about the position: it refuses an illegal one, which stays open for changes.
const useEdited = () => {
  const sfen = sfenOf(input.edit);
  showError("");
  ask({ ask: "position", line: { start: sfen, moves: [] } }, (reply) => { if (reply.is === "position") { announce(noWords); openGame(newGame(sfen)); showBoard(); } });
};

const analyzeModes = {
  mayMove: () => Boolean(here.facts) && !input.edit,
  onMove: (named) => { goTo(addMove(here, named)); },
};
