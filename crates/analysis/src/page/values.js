// The report embedded in the page, and its values as text.
const report = JSON.parse(byId("report").textContent);
// Marks a move with a comment in the record.
const COMMENTED = "※";

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
const secondsText = (milliseconds) => {
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
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
// The record's variations from a position. Nested ones repeat the moves before them.
const recordLines = report.positions.map((position) => {
  const lines = [];
  const add = (variations, before, start) => {
    for (const variation of variations) {
      const kept = start === null ? 0 : start + variation.after;
      const join = (key, other) => before[key].slice(0, kept).concat(variation[other]);
      const line = { pv: join("pv", "moves"), pv_japanese: join("pv_japanese", "moves_japanese"), pv_western: join("pv_western", "moves_western"), comments: join("comments", "comments") };
      lines.push(line);
      add(variation.variations, line, kept);
    }
  };
  add(position.variations, { pv: [], pv_japanese: [], pv_western: [], comments: [] }, null);
  return lines;
});
// The shown line: an engine's, one of the record, or the reader's own.
const RECORD = "record";
// The line that shows why the move from a position is bad.
const REASON = "reason";
const shownLine = (ply, { engine, index }) => {
  if (engine === OWN) return ownLines.get(ply);
  if (engine === REASON) return report.positions[ply].played.reason;
  return engine === RECORD ? recordLines[ply][index] : report.positions[ply].searches[engine].lines[index];
};
// Whether the engine declares a win or resigns.
const playsNoMove = (search) => search.best === "win" || search.best === "resign";
// The judgement of the move that led to a position.
const judgedBefore = (ply, engine) => (ply > 0 ? report.positions[ply - 1].searches[engine]?.played ?? null : null);
const markBefore = (ply, engine) => judgedBefore(ply, engine)?.mark ?? null;
