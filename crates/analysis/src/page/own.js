// The reader's own moves on the board, from any position: one line for each position, kept while
// the page is open.
const OWN = "own";
const ownLines = new Map();
const NO_LINE = { pv: [], pv_japanese: [], pv_western: [] };

// Whether presses on the board move pieces; otherwise they step through the game.
let isMoving = false;
let legalHere = { place: null, moves: [] };

input.isFlipped = () => state.flipped;
input.mayMove = () => isMoving && !isAsking();
input.legal = () => {
  const place = JSON.stringify([state.ply, state.line, ownLines.get(state.ply)?.pv]);
  if (legalHere.place !== place) legalHere = { place, moves: legalMovesOf(shownPosition()).map((move) => ({ move })) };
  return legalHere.moves;
};
input.onMove = ({ move }) => {
  const { ply, line } = state;
  if (!line && report.positions[ply].played?.move === move) return step(1);
  const before = line ? shownLine(ply, line) : NO_LINE;
  const length = line?.length ?? 0;
  if (before.pv[length] === move) return step(1);
  const names = ownNames(shownPosition(), move);
  const joined = (key, name) => [...before[key].slice(0, length), name];
  ownLines.set(ply, { pv: joined("pv", move), pv_japanese: joined("pv_japanese", names.japanese), pv_western: joined("pv_western", names.western) });
  return show({ line: { engine: OWN, index: 0, length: length + 1 } });
};

const announce = (words) => { byId("copied").textContent = words; };
const setMoving = (on) => {
  isMoving = on;
  input.selected = null;
  closePromotion();
  byId("squares").hidden = !on;
  byId("board").setAttribute("tabindex", on ? -1 : 0);
  byId("own-moves").setAttribute("aria-pressed", on);
  announce(on ? text("ownHow") : "");
  draw();
};
byId("own-moves").addEventListener("click", () => setMoving(!isMoving));
buildSquares();
