// Values and shares as text.
// The driver's number for a mate of unknown length.
const UNKNOWN_MATE = 1000;

// A value for Black: centipawns as +123, or plies to mate, positive if Black mates. One of `cp` and
// `mate` is known.
const scoreText = ({ cp, mate }, bound = null) => {
  const mark = { lower: "≥", upper: "≤" }[bound] ?? "";
  if (cp !== undefined && cp !== null) return mark + (cp > 0 ? "+" : cp < 0 ? "−" : "±") + Math.abs(cp);
  const plies = Math.abs(mate);
  return mark + (mate > 0 ? "+" : "−") + (plies >= UNKNOWN_MATE ? text("mate") : text("mateIn", plies));
};
const percentText = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
// A share as given, without rounding errors: 7.5%, not 7.499999999999999%.
const exactPercentText = (share) => `${Number((100 * share).toPrecision(12))}%`;
const secondsText = (milliseconds) => {
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
// The least loss of winning probability that is told.
const LEAST_SHOWN = 0.005;
const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
