// Pieces that follow a mouse or a finger. The press selects the piece, the release chooses the
// square below it.
const LIFTED_AFTER = 6;
// A finger would hide the piece, which lies above it.
const ABOVE_FINGER = 0.7;
// { source: as `input.selected`, x, y, ghost: the piece in the air, or null before it is lifted }
let press = null;
const isLifting = () => Boolean(press?.ghost);

const mayLift = (position, source) => input.mayMove() && !input.edit && isOfMover(source, position);
const squareAt = ({ clientX, clientY }) => {
  const node = document.elementFromPoint(clientX, clientY)?.closest("#squares button");
  return node ? cellAt([...byId("squares").querySelectorAll("button")].indexOf(node)) : null;
};

const moveGhost = ({ clientX, clientY, pointerType }) => {
  const { ghost, size } = press;
  ghost.style.transform = `translate(${clientX - size / 2}px, ${clientY - size * (0.5 + (pointerType === "mouse" ? 0 : ABOVE_FINGER))}px)`;
};
// Marks the square below the piece, if the piece may go there.
const markUnder = (cell) => {
  byId("squares").querySelector(".under")?.classList.remove("under");
  if (cell !== null && targetsOfInput().includes(cell)) buttonOf(cell).classList.add("under");
};
const lift = () => {
  const { source } = press;
  const { blackToMove: black, cells } = shownPosition();
  if (!isSame(source, input.selected)) select(source);
  const kind = source.drop ?? cells[source.from].kind;
  press.size = 1.15 * buttonOf(0).getBoundingClientRect().height;
  press.ghost = html("div", { class: "lifted", style: `width:${press.size}px;height:${press.size}px` }, pieceIcon(kind, black, black === input.isFlipped()));
  document.body.append(press.ghost);
  motion.away = source.from ?? null;
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
  const node = event.isPrimary && event.button === 0 ? event.target.closest("#squares .movable, .hand .movable") : null;
  if (node) press = { source: node.dataset.hand ? { drop: node.dataset.hand } : { from: squareAt(event) }, x: event.clientX, y: event.clientY, ghost: null };
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
  const cell = squareAt(event);
  // Back on its square the piece stays selected: a click follows, which puts it down.
  if (cell === null || cell === source.from) return draw();
  motion.carried = cell;
  chooseSquare(cell);
  motion.carried = null;
  draw();
});
document.addEventListener("pointercancel", () => { if (letGo()) select(null); });
