// Pieces that follow a mouse or a finger. The press selects the piece, the release chooses the
// square below it.
const LIFTED_AFTER = 6;
// A finger would hide the piece, which lies above it.
const ABOVE_FINGER = 0.7;
// { source: as `input.selected`; for a position that is being set up { drop, side } of a hand, or the
// kind of a new piece as { box }; x, y; ghost: the piece in the air, or null before it is lifted }
let press = null;
const isLifting = () => Boolean(press?.ghost);

const mayLift = (position, source) => {
  if (input.edit) return source.drop ? position.hands[source.side][source.drop] > 0 : position.cells[source.from] !== null;
  return input.mayMove() && isOfMover(source, position);
};
const squareAt = ({ clientX, clientY }) => {
  const node = document.elementFromPoint(clientX, clientY)?.closest("#squares button");
  return node ? cellAt([...byId("squares").querySelectorAll("button")].indexOf(node)) : null;
};

const moveGhost = ({ clientX, clientY, pointerType }) => {
  const { ghost, size } = press;
  ghost.style.transform = `translate(${clientX - size / 2}px, ${clientY - size * (0.5 + (pointerType === "mouse" ? 0 : ABOVE_FINGER))}px)`;
};
// The place below the piece while a position is set up: { cell }, { side } of a hand, or null.
const placeAt = (event) => {
  const cell = squareAt(event);
  if (cell !== null) return { cell };
  const flank = document.elementFromPoint(event.clientX, event.clientY)?.closest("#far-flank, #near-flank");
  return flank && { side: (flank.id === "near-flank") === input.isFlipped() ? "white" : "black" };
};
// Marks the square below the piece, if the piece may go there.
const markUnder = (cell) => {
  byId("squares").querySelector(".under")?.classList.remove("under");
  if (cell !== null && (input.edit || targetsOfInput().includes(cell))) buttonOf(cell).classList.add("under");
};
const pieceOf = ({ from, drop, side, box }) => {
  const { cells, blackToMove } = shownPosition();
  return box ? { kind: box, black: true } : drop ? { kind: drop, black: input.edit ? side === "black" : blackToMove } : cells[from];
};
const lift = () => {
  const { source } = press;
  const { kind, black } = pieceOf(source);
  if (!input.edit && !isSame(source, input.selected)) select(source);
  press.size = 1.15 * buttonOf(0).getBoundingClientRect().height;
  press.ghost = html("div", { class: "lifted", style: `width:${press.size}px;height:${press.size}px` }, pieceIcon(kind, black, black === input.isFlipped()));
  document.body.append(press.ghost);
  motion.away = source.from ?? (source.drop ? `${source.side} ${source.drop}` : null);
  draw();
};
const letGo = () => {
  const { ghost, source } = press ?? {};
  press = null;
  motion.away = null;
  if (ghost) markUnder(null);
  ghost?.remove();
  return ghost ? source : null;
};

document.addEventListener("pointerdown", (event) => {
  letGo();
  const node = event.isPrimary && event.button === 0 ? event.target.closest(".movable") : null;
  if (node) press = { source: node.dataset.kind ? { box: node.dataset.kind } : node.dataset.hand ? { drop: node.dataset.hand, side: node.dataset.side } : { from: squareAt(event) }, x: event.clientX, y: event.clientY, ghost: null };
});
const follow = (event) => {
  if (!press || !event.isPrimary) return;
  if (!press.ghost && Math.hypot(event.clientX - press.x, event.clientY - press.y) < LIFTED_AFTER) return;
  if (!press.ghost) lift();
  moveGhost(event);
  markUnder(squareAt(event));
};
document.addEventListener("pointermove", follow);
document.addEventListener("pointerup", (event) => {
  follow(event);
  const source = event.isPrimary ? letGo() : null;
  if (!source) return;
  if (input.edit) {
    // No click follows.
    const stop = (click) => click.stopPropagation();
    addEventListener("click", stop, { capture: true });
    setTimeout(() => removeEventListener("click", stop, { capture: true }));
    return input.onCarry(source, placeAt(event));
  }
  const cell = squareAt(event);
  // Back on its square the piece stays selected: a click follows, which puts it down.
  if (cell === null || cell === source.from) return draw();
  motion.carried = cell;
  chooseSquare(cell);
  motion.carried = null;
  draw();
});
document.addEventListener("pointercancel", () => { if (letGo()) { if (input.edit) draw(); else select(null); } });
