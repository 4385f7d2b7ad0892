// Positions: read from SFEN, and moves played on them. The moves are legal. How the pieces move.
const HAND_ORDER = ["R", "B", "G", "S", "N", "L", "P"];
const ORTHOGONAL = [[0, -1], [1, 0], [0, 1], [-1, 0]];
const DIAGONAL = [[1, -1], [1, 1], [-1, 1], [-1, -1]];
const GOLD = [...ORTHOGONAL, DIAGONAL[0], DIAGONAL[3]];
// As Black moves: steps of one square, and directions of any number of squares.
const STEPS = { P: [[0, -1]], N: [[-1, -2], [1, -2]], S: [[0, -1], ...DIAGONAL], G: GOLD, K: [...ORTHOGONAL, ...DIAGONAL], "+P": GOLD, "+L": GOLD, "+N": GOLD, "+S": GOLD, "+B": ORTHOGONAL, "+R": DIAGONAL };
const SLIDES = { L: [[0, -1]], B: DIAGONAL, R: ORTHOGONAL, "+B": DIAGONAL, "+R": ORTHOGONAL };

// { cells: 81 of null or { kind, black }, row by row from 9a; hands: { black, white } of counts; blackToMove }
const positionOf = (sfen) => {
  const [board, turn, hands] = sfen.split(" ");
  const cells = [];
  let promoted = "";
  for (const letter of board) {
    if (letter === "/") continue;
    if (letter === "+") { promoted = "+"; continue; }
    if (/\d/.test(letter)) { cells.push(...Array(Number(letter)).fill(null)); continue; }
    cells.push({ kind: promoted + letter.toUpperCase(), black: letter === letter.toUpperCase() });
    promoted = "";
  }
  const position = { cells, hands: { black: {}, white: {} }, blackToMove: turn === "b" };
  for (const [, count, letter] of hands.matchAll(/(\d*)([A-Za-z])/g)) {
    const side = letter === letter.toUpperCase() ? "black" : "white";
    position.hands[side][letter.toUpperCase()] = Number(count || 1);
  }
  return position;
};

// 7g: the 7th file from the right, the 7th rank from above.
const cellOf = (square) => (square.charCodeAt(1) - 97) * 9 + 9 - Number(square[0]);
const usiSquare = (cell) => `${9 - (cell % 9)}${"abcdefghi"[Math.floor(cell / 9)]}`;

// { from: null for a drop, to, dropped: null or the kind }
const partsOf = (move) => {
  const to = cellOf(move.slice(2, 4));
  return move[1] === "*" ? { from: null, to, dropped: move[0] } : { from: cellOf(move.slice(0, 2)), to, dropped: null };
};

const play = (position, move) => {
  const { from, to, dropped } = partsOf(move);
  const cells = position.cells.slice();
  const black = position.blackToMove;
  const hand = { ...position.hands[black ? "black" : "white"] };
  if (dropped) {
    cells[to] = { kind: dropped, black };
    hand[dropped] -= 1;
  } else {
    const taken = cells[to];
    if (taken) {
      const kind = taken.kind.replace("+", "");
      hand[kind] = (hand[kind] || 0) + 1;
    }
    cells[to] = { kind: (move.endsWith("+") ? "+" : "") + cells[from].kind, black };
    cells[from] = null;
  }
  const hands = black ? { ...position.hands, black: hand } : { ...position.hands, white: hand };
  return { cells, hands, blackToMove: !black };
};

// A position in SFEN, with the number of its next move.
const sfenOf = ({ cells, hands, blackToMove }, number = 1) => {
  const letters = (cell) => (cell === null ? "1" : cell.black ? cell.kind : cell.kind.toLowerCase());
  const rank = (at) => cells.slice(9 * at, 9 * at + 9).map(letters).join("").replace(/1+/g, (run) => run.length);
  const held = (hand) => HAND_ORDER.filter((kind) => hand[kind] > 0).map((kind) => (hand[kind] > 1 ? hand[kind] : "") + kind).join("");
  const inHand = held(hands.black) + held(hands.white).toLowerCase();
  return [[...Array(9).keys()].map(rank).join("/"), blackToMove ? "b" : "w", inHand || "-", number].join(" ");
};
