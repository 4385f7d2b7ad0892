// Input besides moves on the board: positions set up by hand, and typed moves.
const TOTALS = { P: 18, L: 4, N: 4, S: 4, G: 4, B: 2, R: 2 };
let flipped = false;
input.kind = "P";
input.isFlipped = () => flipped;
input.legal = () => here.facts?.legal ?? [];
input.sideName = (side) => sideName(side);
input.onSelect = (words) => announceMore(words);
// Tells which rule a move breaks.
input.onIllegal = (move, tell = announceMore) => {
  announceMore("");
  if (!move) return tell(text("rules")["other-side"]);
  const at = here;
  const { from, dropped } = partsOf(move);
  const kind = dropped ?? shownPosition().cells[from]?.kind;
  ask({ ask: "rule", line: lineTo(at), move }, ({ rule }) => { if (rule && here === at) tell(filled(text("rules")[rule], [text("pieceNames")[kind]])); });
};
input.onMissing = () => announceMore(text("rules")["not-in-hand"]);
input.onEdit = (cell) => {
  const { cells } = input.edit;
  const { kind, black } = cells[cell] ?? {};
  if (kind !== input.kind) cells[cell] = { kind: input.kind, black: true };
  else cells[cell] = black ? { kind, black: false } : null;
  draw();
};
// A press adds a piece; the press after the last piece takes all back.
input.onEditHand = (side, kind) => {
  const hand = input.edit.hands[side];
  hand[kind] = ((hand[kind] ?? 0) + 1) % (TOTALS[kind] + 1);
  draw();
};

// A piece is carried to a square, to a hand, or off the board. What stands on the square changes
// places with a piece of the board, and goes to the hand that a piece comes from.
input.onCarry = (source, place) => {
  const { from, drop, side } = source;
  const { cells, hands } = input.edit;
  const add = (to, kind, count) => { hands[to][kind] = (hands[to][kind] ?? 0) + count; };
  const piece = pieceOf(source);
  const there = place?.cell === undefined ? null : cells[place.cell];
  // Kings are in no hand.
  const isLegal = place?.side ? piece.kind !== "K" : !(drop && there?.kind === "K");
  if (isLegal) {
    if (drop) add(side, drop, -1);
    else if (from !== undefined) cells[from] = there;
    if (place?.side) add(place.side, piece.kind.replace("+", ""), 1);
    else if (place) cells[place.cell] = piece;
    if (drop && there) add(side, there.kind.replace("+", ""), 1);
  }
  draw();
};

// Typed moves: in USI, or by a name without its optional parts. Several moves if the name leaves out
// which piece moves, or whether it promotes.
const plain = (words) => words.normalize("NFKC").toLowerCase().replace(/[▲△☗☖▼▽⛊⛉\s]/g, "").replace(/[一二三四五六七八九]/g, (kanji) => String(RANKS.kanji.indexOf(kanji) + 1)).replaceAll("龍", "竜").replaceAll("王", "玉");
const USI_MOVE = /^([1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?$/;
const shortName = (name) => name.replace(/(不成|成|[+=])$/, "").replace(/[右左上寄引直]/g, "").replace(/^(\+?[A-Z])[1-9][a-i](?=[-x])/, "$1");
const typedMoves = (words) => {
  const named = (written) => input.legal().filter(({ move, japanese, western }) => [move, written(japanese), written(western)].some((name) => plain(name) === plain(words)));
  const exact = named((name) => name);
  return exact.length ? exact : named(shortName);
};
