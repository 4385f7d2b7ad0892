// The state of the page and its controls.
const state = { ply: 0, engine: 0, flipped: false };
const lastPly = report.positions.length - 1;

// Changes what is shown.
const show = (change) => {
  if (isAsking() && ["ply", "engine"].some((key) => key in change)) return;
  const before = lines.shown;
  Object.assign(state, change);
  state.ply = Math.min(Math.max(state.ply, 0), lastPly);
  if ("ply" in change) forgetLines();
  input.selected = null;
  closePromotion();
  keepFocus(drawShown, ...(before ? [lineKey(before)] : []));
};
const drawShown = () => { forgetCopy(); draw(); rememberPlace(); };

// The position that the board shows, and the move that led to it.
const shown = () => boardOfLine() ?? { position: positions[state.ply], lastMove: state.ply > 0 ? report.positions[state.ply - 1].played.move : null };
const shownPosition = () => shown().position;

const drawPosition = () => {
  const { position, lastMove } = shown();
  let arrows = [];
  if (!boardOfLine() && !isAsking()) {
    const search = report.positions[state.ply].searches[state.engine];
    const found = search && !playsNoMove(search) ? search.lines : [];
    arrows = found.slice(0, 3).map(({ move, rank }) => ({ move, rank }));
  }
  drawBoard(position, { lastMove, arrows, flipped: state.flipped, label: boardLabel(position), tints: tintsOfInput(), dots: targetsOfInput() });
  drawSquares(position);
  drawPlayers(position, state.flipped, playersOf(state));
};
const draw = () => {
  lines.add = /^(own|record)/.test(lines.shown?.key) ? null : keepAsOwn;
  drawPosition();
  drawBar(state);
  drawQuiz();
  drawVerdict(state);
  drawLegend(state);
  drawGraph(state);
  drawCandidates(state);
  drawMoves(state);
  const { ply } = state;
  const [isFirst, isLast] = [ply === 0 && !lines.shown, ply === lastPly && !lines.shown];
  const idle = { first: isFirst, back: isFirst, forward: isLast, last: isLast, "bad-back": badMove(-1) === null, "bad-forward": badMove(1) === null, autoplay: false };
  // Not `disabled`, which would take the focus away.
  for (const [id, isIdle] of Object.entries(idle)) byId(id).setAttribute("aria-disabled", isIdle || isAsking());
};
Object.assign(lines, { onShow: drawShown, onPeek: drawPosition });

const boardLabel = (position) => {
  const line = lines.peeked ?? lines.shown;
  const [ply, last] = line?.length ? [line.ply + line.length, line.moves[line.length - 1]] : [state.ply, report.positions[state.ply - 1]?.played];
  const where = last ? `${text("ply", ply)} ${moveText(last)}` : text("start");
  return `${text("boardLabel")}: ${where}. ${text(position.blackToMove ? "black" : "white")}`;
};

const drawAll = () => { drawHeader(); drawSummary(); drawAbout(); draw(); fitBoard(); };

// Steps within the shown line, else within the game.
const step = (by) => (lines.shown ? stepLine(by) : show({ ply: state.ply + by }));

const badMove = (by) => nearestBad(marksOf(state.engine), state.ply, by);
const stepToBadMove = (by) => { const ply = badMove(by); if (ply !== null) show({ ply }); };

// The address names what is shown, so that people can share it.
const rememberPlace = () => {
  const parts = [`ply=${state.ply}`, `lang=${language}`];
  if (state.engine > 0) parts.push(`engine=${state.engine}`);
  if (state.flipped) parts.push("flip=1");
  try { history.replaceState(null, "", `#${parts.join("&")}`); } catch { /* Some browsers refuse it for files. */ }
};
const placeFromAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = (name, most) => { const found = Number.parseInt(words.get(name), 10); return Number.isNaN(found) ? 0 : Math.min(Math.max(found, 0), most); };
  Object.assign(state, { ply: number("ply", lastPly), engine: number("engine", report.engines.length - 1), flipped: words.get("flip") === "1" });
  forgetLines();
  language = languageOfAddress();
};

const KEYS = {
  ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => stepToBadMove(-1), ArrowDown: () => stepToBadMove(1),
  Home: () => show({ ply: 0 }), End: () => show({ ply: lastPly }), f: () => show({ flipped: !state.flipped }), Escape: () => (quiz && !lines.shown ? endQuiz() : showLine(null)),
};
onKeys(() => KEYS);

const buttons = { first: KEYS.Home, back: KEYS.ArrowLeft, forward: KEYS.ArrowRight, last: KEYS.End, "bad-back": KEYS.ArrowUp, "bad-forward": KEYS.ArrowDown, flip: KEYS.f };
for (const [id, act] of Object.entries(buttons)) byId(id).addEventListener("click", act);

// A swipe over the board steps, as does a tap on its right or left half. Other buttons and further
// fingers are left to the browser.
const SWIPE = 30;
let touched = null;
const stack = document.querySelector(".stack");
stack.addEventListener("pointerdown", (event) => { touched = isMain(event) ? { x: event.clientX, y: event.clientY } : null; });
stack.addEventListener("pointerup", (event) => {
  if (!touched || !isMain(event) || isLifting()) return;
  const [alongX, alongY] = [event.clientX - touched.x, event.clientY - touched.y];
  touched = null;
  if (Math.abs(alongX) >= SWIPE && Math.abs(alongX) > Math.abs(alongY)) return step(alongX < 0 ? 1 : -1);
  const box = byId("board").getBoundingClientRect();
  if (!isMoving && Math.hypot(alongX, alongY) < TAP) step(event.clientX - box.left < box.width / 2 ? -1 : 1);
});
for (const ending of ["pointerup", "pointercancel"]) addEventListener(ending, () => { touched = null; });

// The wheel steps: once for each notch of a mouse, once for each `WHEEL_STEP` pixels of a touchpad.
const WHEEL_STEP = 50;
let wheeled = 0;
stack.addEventListener("wheel", (event) => {
  if (event.ctrlKey || Math.abs(event.deltaY) <= Math.abs(event.deltaX)) return;
  event.preventDefault();
  const isBack = event.deltaY < 0;
  const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : isBack ? -WHEEL_STEP : WHEEL_STEP;
  wheeled = isBack === wheeled < 0 ? wheeled + pixels : pixels;
  if (Math.abs(wheeled) < WHEEL_STEP) return;
  wheeled = 0;
  step(isBack ? -1 : 1);
}, { passive: false });

followGraph(scaleOfGame, (ply) => show({ ply }));

addEventListener("hashchange", () => { quiz = null; placeFromAddress(); drawAll(); });
new ResizeObserver(() => drawGraph(state)).observe(byId("graph"));
keepBoardFitted();
for (const [name, onPaper] of [["beforeprint", true], ["afterprint", false]]) addEventListener(name, () => { isOnPaper = onPaper; drawGraph(state); });
placeFromAddress();
startHeading(drawAll, rememberPlace);
drawAll();
