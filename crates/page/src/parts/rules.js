// The legal moves of a position, for the reader's own moves: the page has no engine.

// Number of last ranks on which a piece has no move.
const DEAD_RANKS = { P: 1, L: 1, N: 2 };

// The rank seen from a side; 0 is the farthest.
const rankFor = (cell, black) => (black ? Math.floor(cell / 9) : 8 - Math.floor(cell / 9));

// The squares that the piece on a square attacks, including those of its own side.
const attacksOf = ({ cells }, from) => {
  const { kind, black } = cells[from];
  const found = [];
  const go = ([files, ranks], most) => {
    let [column, row] = [from % 9, Math.floor(from / 9)];
    for (let step = 0; step < most; step += 1) {
      column += black ? files : -files;
      row += black ? ranks : -ranks;
      if (column < 0 || column > 8 || row < 0 || row > 8) return;
      found.push(row * 9 + column);
      if (cells[row * 9 + column]) return;
    }
  };
  (STEPS[kind] ?? []).forEach((direction) => go(direction, 1));
  (SLIDES[kind] ?? []).forEach((direction) => go(direction, 8));
  return found;
};
const isInCheck = (position, black) => {
  const king = position.cells.findIndex((piece) => piece?.kind === "K" && piece.black === black);
  return position.cells.some((piece, cell) => piece && piece.black !== black && attacksOf(position, cell).includes(king));
};

const boardMoves = (position) => position.cells.flatMap((piece, from) => {
  const black = position.blackToMove;
  if (piece?.black !== black) return [];
  return attacksOf(position, from).filter((to) => position.cells[to]?.black !== black).flatMap((to) => {
    const move = usiSquare(from) + usiSquare(to);
    const mayPromote = "PLNSBR".includes(piece.kind) && Math.min(rankFor(from, black), rankFor(to, black)) < 3;
    const mayStay = rankFor(to, black) >= (DEAD_RANKS[piece.kind] ?? 0);
    return [...(mayStay ? [move] : []), ...(mayPromote ? [`${move}+`] : [])];
  });
});
const drops = ({ cells, hands, blackToMove: black }) => {
  const hand = hands[black ? "black" : "white"];
  const hasPawn = Array.from({ length: 9 }, (_, column) => cells.some((piece, cell) => cell % 9 === column && piece?.kind === "P" && piece.black === black));
  const mayStand = (kind, cell) => !cells[cell] && rankFor(cell, black) >= (DEAD_RANKS[kind] ?? 0) && !(kind === "P" && hasPawn[cell % 9]);
  return HAND_ORDER.filter((kind) => hand[kind] > 0).flatMap((kind) => cells.flatMap((_, cell) => (mayStand(kind, cell) ? [`${kind}*${usiSquare(cell)}`] : [])));
};

// In USI. A pawn drop may not mate (打ち歩詰め). No drop answers the check of a pawn, so moves on the
// board decide.
const legalMovesOf = (position) => {
  const black = position.blackToMove;
  const isSafe = (at, move) => !isInCheck(play(at, move), at.blackToMove);
  const isMateByPawn = (move) => {
    if (!move.startsWith("P*")) return false;
    const after = play(position, move);
    return isInCheck(after, !black) && !boardMoves(after).some((answer) => isSafe(after, answer));
  };
  return [...boardMoves(position), ...drops(position)].filter((move) => isSafe(position, move) && !isMateByPawn(move));
};

// Those of a position, as input has them; the page asks for them often.
let legalMoves = { sfen: null, moves: [] };
const legalHere = (position) => {
  const sfen = sfenOf(position);
  if (legalMoves.sfen !== sfen) legalMoves = { sfen, moves: legalMovesOf(position).map((move) => ({ move })) };
  return legalMoves.moves;
};

// The names of a move, which tell where it comes from.
const ownNames = (position, move) => {
  const { from, to, dropped } = partsOf(move);
  const { kind, black } = dropped ? { kind: dropped, black: position.blackToMove } : position.cells[from];
  const promotes = move.endsWith("+");
  const mayPromote = !dropped && !promotes && legalMovesOf(position).includes(`${move}+`);
  const [file, rank] = [9 - (to % 9), Math.floor(to / 9)];
  const origin = dropped ? "打" : `${promotes ? "成" : mayPromote ? "不成" : ""}(${9 - (from % 9)}${Math.floor(from / 9) + 1})`;
  const joint = dropped ? "*" : position.cells[to] ? "x" : "-";
  return {
    move,
    japanese: `${black ? "▲" : "△"}${ZENKAKU[file - 1]}${RANKS.kanji[rank]}${TEXTS.ja.pieceNames[kind]}${origin}`,
    western: `${kind}${dropped ? "" : usiSquare(from)}${joint}${usiSquare(to)}${promotes ? "+" : mayPromote ? "=" : ""}`,
  };
};
