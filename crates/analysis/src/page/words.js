// Texts that the pages of a game and of all games share.
const MARKS = { black: "☗", white: "☖" };
const nameText = (name) => (language === "ja" ? name.japanese : name.english);
// An opening or a castle after the mark of its side, if it has one.
const formationText = (found) => (found.side ? MARKS[found.side] : "") + nameText(found);
const accuracyText = ({ accuracy }) => (accuracy === null ? "–" : accuracy.toFixed(1));
const table = (head, rows) => html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));
const RESULTS = { black: "blackWins", white: "whiteWins", draw: "draw" };
// The thresholds of the judgement as text.
const thresholdTexts = ({ scale, inaccuracy, mistake, blunder, decided, accuracy }) =>
  [text("thresholds", scale, ...[inaccuracy, mistake, blunder, decided, 1 - decided].map(exactPercentText)), text("accuracyNote", exactPercentText(accuracy))];
