// The report embedded in the page, and its values as text.
const report = JSON.parse(byId("report").textContent);
const isBlackToMove = (ply) => report.positions[ply].turn === "black";

// A value from Black's view. In the report mates are for the side to move.
const valueText = (value, blackToMove, bound = null) => {
  if (!value || value.win_black === undefined) return "–";
  return scoreText({ cp: value.cp_black, mate: blackToMove ? value.mate : -value.mate }, bound);
};
const countText = (count) => {
  if (count < 10000) return String(count);
  if (count < 1e6) return `${(count / 1e3).toFixed(0)}k`;
  if (count < 1e9) return `${(count / 1e6).toPrecision(3)}M`;
  return `${(count / 1e9).toPrecision(3)}G`;
};
// An engine's winning probability for Black, and the ends of its error; `null` if unknown.
const winAt = (ply, engine) => {
  const position = report.positions[ply];
  if (position.legal_moves === 0) return { win: position.turn === "black" ? 0 : 1, low: null, high: null };
  const search = position.searches[engine];
  if (!search || !search.value) return null;
  const { cp_black: value, win_black: win } = search.value;
  if (search.sigma === null || value === null) return { win, low: null, high: null };
  return { win, low: winOfCentipawns(value - search.sigma, report.thresholds.scale), high: winOfCentipawns(value + search.sigma, report.thresholds.scale) };
};
// The record's comment on the move that led to a position, or before the first one.
const commentAt = (ply) => (ply === 0 ? report.game.comment : report.positions[ply - 1].played.comment);
const positions = report.positions.map(({ sfen }) => positionOf(sfen));
// A line from a position. The other fields are those of the report.
const lineAt = (ply, key, moves, more = {}) => ({ key, moves, start: positions[ply], ply, ...more });
const firstMove = (line) => moveText(namedMoves(line)[0]);
// Whether the engine declares a win or resigns.
const playsNoMove = (search) => search.best === "win" || search.best === "resign";
// The judgement of the move that led to a position.
const judgedBefore = (ply, engine) => (ply > 0 ? report.positions[ply - 1].searches[engine]?.played ?? null : null);
const markBefore = (ply, engine) => judgedBefore(ply, engine)?.mark ?? null;
