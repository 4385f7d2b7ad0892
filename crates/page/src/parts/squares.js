// Buttons over the squares and for the pieces in hand, and the moves made with them.
addTexts({
  ja: {
    promotionLabel: "成りますか", promote: "成る", notPromote: "成らない", emptySquare: "空", selected: "{0}を選びました", toHand: "持駒",
    pieceNames: { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "竜" },
  },
  en: {
    promotionLabel: "Promote?", promote: "Promote", notPromote: "Do not promote", emptySquare: "empty", selected: "{0} selected", toHand: "in hand",
    pieceNames: { P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook", K: "king", "+P": "promoted pawn", "+L": "promoted lance", "+N": "promoted knight", "+S": "promoted silver", "+B": "horse", "+R": "dragon" },
  },
});
const LETTERS = { p: "P", l: "L", n: "N", s: "S", g: "G", b: "B", r: "R" };
const ZENKAKU = "１２３４５６７８９";
// `selected`: null, { from: cell } or { drop: kind }. `edit`: a position that is being set up, or
// null. The page sets the rest: the legal moves, as elements with a `move`; whether the reader may
// move; what a move does; what an illegal one does, `null` for a piece of the other side; what a
// key for a piece that is not in hand does; who hears of a piece selected by a key; the names of
// the sides; and what presses on squares and hands, and pieces that are carried, do to `edit`.
const input = { selected: null, cursor: 76, edit: null, isFlipped: () => false, legal: () => [], mayMove: () => false, onMove: () => {}, onIllegal: () => {}, onMissing: () => {}, onRefused: () => {}, onSelect: (words) => announce(words), sideName: (side) => text(side), onEdit: () => {}, onEditHand: () => {}, onCarry: () => {} };

const squareName = (cell) => {
  const [file, rank] = [9 - (cell % 9), ranksShown()[Math.floor(cell / 9)]];
  return (notationShown() === "kanji" ? ZENKAKU[file - 1] : file) + rank;
};
const pieceName = ({ kind, black }) => `${input.sideName(black ? "black" : "white")} ${text("pieceNames")[kind]}`;
const squareLabel = (position, cell) => `${squareName(cell)} ${position.cells[cell] ? pieceName(position.cells[cell]) : text("emptySquare")}`;

const matches = (move, selected) => {
  const { from, dropped } = partsOf(move);
  return selected.from === undefined ? dropped === selected.drop : from === selected.from;
};
const movesOf = (selected) => (selected ? input.legal().filter(({ move }) => matches(move, selected)) : []);
const isSame = (one, other) => one?.from === other?.from && one?.drop === other?.drop;
const isOfMover = ({ from, drop }, { cells, hands, blackToMove } = shownPosition()) => (drop ? hands[blackToMove ? "black" : "white"][drop] > 0 : cells[from]?.black === blackToMove);

// Selects a piece of the side to move, also one without a legal move: its target tells why.
// What is said of it goes with the selection.
let isTold = false;
const select = (selected, tells = false) => {
  const chosen = selected && !isSame(selected, input.selected) && isOfMover(selected) ? selected : null;
  input.selected = chosen;
  const words = tells && chosen ? text("selected", text("pieceNames")[chosen.drop]) : "";
  if (words || isTold) input.onSelect(words);
  isTold = Boolean(words);
  closePromotion();
  draw();
};

const chooseSquare = (cell) => {
  input.cursor = cell;
  if (input.edit) return input.onEdit(cell);
  if (!input.mayMove()) return input.onRefused();
  const found = movesOf(input.selected).filter(({ move }) => partsOf(move).to === cell);
  if (found.length === 2) return askPromotion(found);
  if (found.length === 1) return makeMove(found[0]);
  const { selected } = input;
  const isAsked = !byId("promotion").hidden;
  // A piece that was carried there does not choose another one.
  const piece = motion.carried === null && shownPosition().cells[cell] ? { from: cell } : null;
  select(piece);
  // Another square takes the question about promotion back.
  if (isAsked) return;
  if (selected && !(piece && isOfMover(piece))) input.onIllegal(`${selected.drop ? `${selected.drop}*` : usiSquare(selected.from)}${usiSquare(cell)}`);
  else if (piece && !isOfMover(piece)) input.onIllegal(null);
};

const makeMove = (named) => {
  input.selected = null;
  isTold = false;
  closePromotion();
  input.onMove(named);
};

// Asks beside the square, so that a double click hits no answer. The numbers are those of
// squares.css.
const askPromotion = (moves) => {
  const dialog = byId("promotion");
  const { from } = input.selected;
  const index = cellAt(partsOf(moves[0].move).to);
  const [column, row] = [index % 9, Math.floor(index / 9)];
  for (const [name, value] of [["--across", (8 + 44 * (column + 0.5)) / 424], ["--down", (19 + 48 * (row + 0.5)) / 459], ["--way", row < 5 ? 1 : -1]]) dialog.style.setProperty(name, value);
  const { kind, black } = shownPosition().cells[from];
  const choice = (named) => {
    const promotes = named.move.endsWith("+");
    return html("button", { type: "button", "aria-label": text(promotes ? "promote" : "notPromote"), onclick: () => makeMove(named) }, pieceIcon(promotes ? `+${kind}` : kind, black));
  };
  const promoting = moves.toSorted((one, other) => other.move.length - one.move.length);
  dialog.replaceChildren(...promoting.map(choice));
  dialog.hidden = false;
  dialog.firstChild.focus();
};
const closePromotion = () => {
  const dialog = byId("promotion");
  const hadFocus = dialog.contains(document.activeElement);
  dialog.hidden = true;
  if (hadFocus) focusSquare(input.cursor);
};

const cellAt = (index) => (input.isFlipped() ? 80 - index : index);
const buttonOf = (cell) => byId("squares").querySelectorAll("button")[cellAt(cell)];
const focusSquare = (cell) => { input.cursor = cell; drawSquares(shownPosition()); buttonOf(cell).focus({ preventScroll: true }); };

const buildSquares = () => {
  const row = (rank) => html("div", { role: "row" }, ...Array.from({ length: 9 }, (_, file) => {
    const index = rank * 9 + file;
    return html("button", { type: "button", role: "gridcell", onclick: () => chooseSquare(cellAt(index)) });
  }));
  byId("squares").replaceChildren(...Array.from({ length: 9 }, (_, rank) => row(rank)));
};

// The Tab key reaches one square, arrow keys the others from there.
const drawSquares = (position) => {
  byId("squares").querySelectorAll("button").forEach((node, index) => {
    const cell = cellAt(index);
    node.setAttribute("aria-label", squareLabel(position, cell));
    node.tabIndex = cell === input.cursor ? 0 : -1;
    node.classList.toggle("movable", mayLift(position, { from: cell }));
    if (input.selected?.from === cell) node.setAttribute("aria-selected", "true");
    else node.removeAttribute("aria-selected");
  });
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const onSquareKey = (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in ARROWS) {
    const index = cellAt(input.cursor);
    const [column, row] = [(index % 9) + ARROWS[event.key][0], Math.floor(index / 9) + ARROWS[event.key][1]];
    if (column >= 0 && column < 9 && row >= 0 && row < 9) focusSquare(cellAt(row * 9 + column));
  } else if (event.key === "Escape") {
    select(null);
  } else if (event.key in LETTERS && input.mayMove()) {
    const chosen = { drop: LETTERS[event.key] };
    select(chosen, true);
    if (!isOfMover(chosen)) input.onMissing();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
};

// The hand of a side.
const handButtons = (position, side) => {
  const hand = position.hands[side];
  const kinds = HAND_ORDER.filter((kind) => input.edit || hand[kind] > 0);
  if (kinds.length === 0) return null;
  const isTheirTurn = position.blackToMove === (side === "black");
  const button = (kind) => {
    const count = hand[kind] ?? 0;
    const isSelected = isTheirTurn && input.selected?.drop === kind;
    const act = () => {
      if (input.edit) return input.onEditHand(side, kind);
      if (!input.mayMove()) return input.onRefused();
      if (isTheirTurn) select({ drop: kind });
      else input.onIllegal(null);
    };
    const isMovable = (isTheirTurn || input.edit) && mayLift(position, { drop: kind, side });
    const isAway = count === 1 && motion.away === `${side} ${kind}`;
    const label = `${input.sideName(side)} ${text("toHand")} ${text("pieceNames")[kind]} ${count}`;
    return html("button", { type: "button", "data-key": `hand ${side} ${kind}`, "aria-label": label, "aria-pressed": isSelected ? "true" : "false", class: [isMovable && "movable", isAway && "away"].filter(Boolean).join(" ") || null, "data-hand": kind, "data-side": side, "data-count": count, onclick: act },
      pieceIcon(kind, true, (side === "black") === input.isFlipped()), count > 1 || input.edit ? html("b", {}, String(count)) : null);
  };
  return html("span", { class: "hand" }, ...kinds.map(button));
};

const tintsOfInput = () => {
  const tints = {};
  if (input.selected?.from !== undefined) tints[input.selected.from] = "var(--last)";
  for (const { move } of movesOf(input.selected)) tints[partsOf(move).to] = "color-mix(in srgb, var(--arrow) 14%, transparent)";
  return tints;
};
const targetsOfInput = () => [...new Set(movesOf(input.selected).map(({ move }) => partsOf(move).to))];

byId("squares").addEventListener("keydown", onSquareKey);
byId("promotion").addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); select(null); focusSquare(input.cursor); } });
