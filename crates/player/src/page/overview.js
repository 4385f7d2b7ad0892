// Rating, strengths and weaknesses, and the numbers.
const drawHeader = () => {
  const moves = report.play ? report.play.moves : 0;
  byId("title").textContent = report.name;
  byId("facts").textContent = (report.complete ? "" : `${text("incomplete")} · `) + text("facts", report.games, moves, report.engine.limit_text);
  byId("caveat").textContent = words(report.caveat);
};

const RANGE = { low: -2000, high: 1500, step: 500 };
const scaleShape = ({ rating, interval }) => {
  const at = (value) => 18 + 384 * (Math.min(Math.max(value, RANGE.low), RANGE.high) - RANGE.low) / (RANGE.high - RANGE.low);
  const nodes = [svg("line", { x1: at(RANGE.low), x2: at(RANGE.high), y1: 14, y2: 14, stroke: "var(--edge)", "stroke-width": 2 })];
  for (let value = RANGE.low; value <= RANGE.high; value += RANGE.step) {
    nodes.push(svg("line", { x1: at(value), x2: at(value), y1: 9, y2: 19, stroke: "var(--soft)" }), svg("text", { x: at(value), y: 36 }, String(value)));
  }
  if (interval) nodes.push(svg("rect", { x: at(interval[0]), y: 10, width: at(interval[1]) - at(interval[0]), height: 8, rx: 4, fill: "var(--arrow)", opacity: 0.5 }));
  nodes.push(svg("circle", { cx: at(rating), cy: 14, r: 6, fill: "var(--accent)" }));
  return svg("svg", { class: "scale", viewBox: "0 0 420 42", "aria-hidden": "true" }, ...nodes);
};

const drawRating = () => {
  const { rating, interval, positions, games, projection, worth } = report.rating;
  const nodes = [];
  if (rating === null) nodes.push(html("p", { class: "number" }, text("noRating")));
  else {
    const bounds = interval && html("small", {}, ` ${text("interval", ...interval.map(Math.round))}`);
    nodes.push(html("p", { class: "number" }, String(Math.round(rating)), bounds), scaleShape(report.rating), html("p", { class: "soft" }, text("zero")));
  }
  const { opponents } = report;
  if (opponents && opponents.interval) nodes.push(html("p", {}, text("opponentsRating", Math.round(opponents.rating), ...opponents.interval.map(Math.round))));
  nodes.push(html("p", {}, words(worth)));
  if (projection) nodes.push(html("p", { class: "soft" }, text("bestRate", positions, games, percentText(projection.match_rate, 1), projection.mean_error.toFixed(3))));
  byId("rating").replaceChildren(...nodes);
};

// The group of a finding or of a question.
const groupingOf = ({ grouping }) => report.groupings.find(({ key }) => key === grouping);
const groupName = (found) => words(groupingOf(found).groups.find(({ key }) => key === found.group).words);
const groupText = (found) => `${words(groupingOf(found).words)}: ${groupName(found)}`;

const drawFindings = () => {
  const { comparisons, findings } = report.findings;
  const item = (found) => {
    const { kind } = found;
    const asked = kind === "strength" ? 0 : report.questions.filter((question) => isOf(question, found)).length;
    const practice = asked > 0 ? html("button", { type: "button", class: "practise", onclick: () => practise(found) }, text("practise", asked)) : null;
    return html("li", { class: kind }, html("b", {}, text(kind)), words(found.sentence), practice);
  };
  const fact = (found) => (found ? [html("li", {}, words(found.sentence))] : []);
  const compared = [...fact(report.opponents && report.opponents.comparison), ...findings.map(item)];
  if (findings.length === 0) compared.push(html("li", {}, comparisons > 0 ? text("noFindings", comparisons) : text("noComparisons")));
  const lost = [...report.costly.findings.map(item), ...fact(report.spread), ...fact(report.mates)];
  const part = (heading, items) => (items.length > 0 ? [html("h3", {}, text(heading)), html("ul", { class: "findings" }, ...items)] : []);
  byId("findings").replaceChildren(...part("comparedHeading", compared), ...part("lostHeading", lost));
};

const withError = ({ value, interval }, shown) => [shown(value), interval && html("small", {}, ` ± ${shown((interval[1] - interval[0]) / 2)}`)];

// The mean loss with its interval, scaled by the greatest loss.
const lossShape = ({ value, interval }, most) => {
  const at = (loss) => 96 * Math.min(Math.max(loss / most, 0), 1);
  const bounds = interval && svg("line", { x1: at(interval[0]), x2: at(interval[1]), y1: 6, y2: 6, stroke: "var(--text)", "stroke-width": 2 });
  return svg("svg", { class: "loss", viewBox: "0 0 96 12", "aria-hidden": "true" }, svg("rect", { width: at(value), height: 12, fill: "var(--arrow)", opacity: 0.45 }), bounds);
};

const drawNumbers = () => {
  if (!report.play) return byId("numbers").replaceChildren();
  const most = 1.6 * Math.max(report.play.mean_loss.value, ...report.groupings.flatMap(({ groups }) => groups.map((group) => group.mean_loss.value)));
  const row = (name, play, ofOpponents) => {
    const cells = [[name], [String(play.moves)], [String(play.games)], withError(play.accuracy, (value) => value.toFixed(1)),
      [...withError(play.mean_loss, (share) => percentText(share, 1)), lossShape(play.mean_loss, most || 1)], [ofOpponents && percentText(ofOpponents.value, 1)], [percentText(play.best_moves / play.moves)], [String(play.mistakes)]];
    return html("tr", {}, ...cells.map((cell) => html("td", {}, ...cell.filter((part) => part !== null))));
  };
  const columns = ["group", "moves", "games", "accuracy", "meanLoss", "opponents", "best", "mistakes"];
  const rows = report.groupings.flatMap(({ words: name, groups }) =>
    [html("tr", {}, html("th", { colspan: columns.length, scope: "rowgroup" }, words(name))), ...groups.map((group) => row(words(group.words), group, group.opponents_mean_loss))]);
  byId("numbers").replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, ...columns.map((key) => html("th", { scope: "col" }, text(key))))),
    html("tbody", {}, row(text("all"), report.play, report.opponents && report.opponents.play.mean_loss), ...rows)));
};

const drawAbout = () => {
  const { engine, lines, thresholds } = report;
  const names = report.names.map(({ name, games }) => text("numberOfGames", name, games)).join(language === "ja" ? "、" : ", ");
  const texts = [names, text("engineFacts", engine.id || engine.name, engine.limit_text, lines), text("marks", thresholds.scale, percentText(thresholds.mistake), percentText(thresholds.blunder)),
    words(report.rating.scale), text("means", thresholds.accuracy), text("rule"), text("quizRule"), text("keys"), report.program];
  byId("about").replaceChildren(...texts.map((line) => html("p", {}, line)));
};
