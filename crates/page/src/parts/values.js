// Values and shares as people read them.
// The driver's number for a mate whose length the engine does not tell.
const UNKNOWN_MATE = 1000;

// A value for Black: +123, or a mate, of plies that are positive if Black mates. One of `cp` and `mate` is known.
const scoreText = ({ cp, mate }, bound = null) => {
  const mark = { lower: "≥", upper: "≤" }[bound] ?? "";
  if (cp !== undefined && cp !== null) return mark + (cp > 0 ? "+" : cp < 0 ? "−" : "±") + Math.abs(cp);
  const plies = Math.abs(mate);
  return mark + (mate > 0 ? "+" : "−") + (plies >= UNKNOWN_MATE ? text("mate") : text("mateIn", plies));
};
const percentText = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
