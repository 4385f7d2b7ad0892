// Motion on the board: a move slides, and what it takes fades. Nothing moves for readers who ask
// for less motion.
const SLIDE = 150;
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
// `before`: what was drawn last. `move`, `taken`, `since`: the move that slides, the piece that it
// takes, and when it began. `carried`: the square where the reader has put a piece, which needs no
// slide. `away`: the square or the hand of a piece in the air.
const motion = { before: null, move: null, taken: null, since: -SLIDE, carried: null, away: null, onMove: () => {} };

// Sees whether the position follows from the one drawn before, by one move.
const noteMotion = (position, lastMove) => {
  const sfen = sfenOf(position);
  const { before, carried } = motion;
  if (before?.sfen === sfen) return;
  motion.before = { sfen, position };
  if (!lastMove || !before) return;
  const { from, to } = partsOf(lastMove);
  if ((from !== null && !before.position.cells[from]) || sfenOf(play(before.position, lastMove)) !== sfen) return;
  Object.assign(motion, { move: lastMove, taken: before.position.cells[to], since: performance.now() - (carried === to ? SLIDE : 0), carried: null });
  motion.onMove();
};
const slideTime = () => performance.now() - motion.since;

// A redraw replaces what moves, which goes on from where it was.
const animate = (node, from, to) => { node.animate([from, to], { duration: SLIDE, easing: "ease-out", fill: "backwards" }).currentTime = slideTime(); };
const slide = (node, cell, center) => {
  if (slideTime() >= SLIDE || isStill() || partsOf(motion.move).to !== cell) return;
  const { from } = partsOf(motion.move);
  const place = ([x, y]) => `translate(${x}px, ${y}px)`;
  if (from === null) animate(node, { transform: `${place(center(cell))} scale(1.35)`, opacity: 0.4 }, { transform: place(center(cell)), opacity: 1 });
  else animate(node, { transform: place(center(from)) }, { transform: place(center(cell)) });
};
// The piece that is taken, below the one that takes it.
const fading = (center, flipped) => {
  const { taken, move } = motion;
  if (!taken || slideTime() >= SLIDE || isStill()) return [];
  const node = svg("g", { transform: `translate(${center(partsOf(move).to).join(" ")})`, opacity: 0 }, pieceShape(taken.kind, taken.black, { turned: taken.black === flipped }));
  animate(node, { opacity: 1 }, { opacity: 0 });
  return [node];
};
