// The reader's own moves on the board, from any position: one line for each position, kept while
// the page is open.
const ownLines = new Map();
const ownLine = (ply) => lineAt(ply, "own", ownLines.get(ply));

// Whether presses on the board move pieces; otherwise they step through the game.
let isMoving = false;

input.isFlipped = () => state.flipped;
input.mayMove = () => isMoving && !isAsking();
input.legal = () => legalHere(shownPosition());
input.onMove = ({ move }) => {
  const { ply, moves = [], length = 0 } = lines.shown ?? state;
  const known = lines.shown ? moves[length] : report.positions[ply].played;
  if (known?.move === move) return step(1);
  // The first move of the reader's own line leads into it.
  if (!lines.shown && ownLines.get(ply)?.[0].move === move) return showLine({ ...ownLine(ply), length: 1 });
  return keepAsOwn({ ply, moves: [...moves.slice(0, length), ownNames(shownPosition(), move)], length: length + 1 });
};
// Keeps a line as the reader's own.
const keepAsOwn = ({ ply, moves, length }) => {
  ownLines.set(ply, moves);
  if (state.ply !== ply) show({ ply });
  showLine({ ...ownLine(ply), length });
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
