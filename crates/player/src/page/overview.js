// Progress, strengths and weaknesses, the numbers, and the rating.
const drawHeader = () => {
  const moves = report.play ? report.play.moves : 0;
  byId("title").textContent = report.name;
  byId("facts").textContent = (report.complete ? "" : `${text("incomplete")} · `) + text("facts", report.games, moves);
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

const drawFindings = () => {
  const { comparisons, findings } = report.findings;
  const item = (found) => {
    const { kind } = found;
    const list = kind === "strength" ? null : listOfFinding(found);
    const count = list ? LISTS[list].questions.length : 0;
    const practice = count > 0 ? html("button", { type: "button", class: "practise", onclick: () => open(list) }, text("practise", count)) : null;
    return html("li", { class: kind }, html("b", {}, text(kind)), words(found.sentence), practice);
  };
  const fact = (found) => (found ? [html("li", {}, words(found.sentence))] : []);
  const compared = [...fact(report.opponents && report.opponents.comparison), ...findings.map(item)];
  if (findings.length === 0) compared.push(html("li", {}, comparisons > 0 ? text("noFindings", comparisons) : text("noComparisons")));
  const lost = [...report.costly.findings.map(item), ...fact(report.spread)];
  const studied = report.subjects.map(({ words: name, sentence }) => html("li", {}, html("b", {}, words(name)), words(sentence)));
  const part = (heading, items, note = []) => (items.length > 0 ? [html("h3", {}, text(heading)), ...note, html("ul", { class: "findings" }, ...items)] : []);
  const order = studied.length > 1 ? [html("p", { class: "soft" }, text("studiedOrder"))] : [];
  byId("findings").replaceChildren(...part("studiedHeading", studied, order), ...part("comparedHeading", compared), ...part("lostHeading", lost));
};

const withError = ({ value, interval }, shown) => [shown(value), interval && html("small", {}, ` ± ${shown((interval[1] - interval[0]) / 2)}`)];

// The mean loss with its interval, scaled by the greatest loss.
const lossShape = ({ value, interval }, most) => {
  const at = (loss) => 96 * Math.min(Math.max(loss / most, 0), 1);
  const bounds = interval && svg("line", { x1: at(interval[0]), x2: at(interval[1]), y1: 6, y2: 6, stroke: "var(--text)", "stroke-width": 2 });
  return svg("svg", { class: "loss", viewBox: "0 0 96 12", "aria-hidden": "true" }, svg("rect", { width: at(value), height: 12, fill: "var(--arrow)", opacity: 0.45 }), bounds);
};

// Whether rows of a single game are shown.
let showsRare = false;
const drawNumbers = () => {
  if (!report.play) return byId("numbers").replaceChildren();
  const most = 1.6 * Math.max(report.play.mean_loss.value, ...report.groupings.flatMap(({ groups }) => groups.map((group) => group.mean_loss.value)));
  const row = (name, play, ofOpponents, isHidden = false) => {
    const cells = [[name], [String(play.moves)], [String(play.games)], withError(play.accuracy, (value) => value.toFixed(1)),
      [...withError(play.mean_loss, (share) => percentText(share, 1)), lossShape(play.mean_loss, most || 1)], [ofOpponents && percentText(ofOpponents.value, 1)], [percentText(play.best_moves / play.moves)], [String(play.mistakes)]];
    return html("tr", { hidden: isHidden }, ...cells.map((cell) => html("td", {}, ...cell.filter((part) => part !== null))));
  };
  const columns = ["group", "moves", "games", "accuracy", "meanLoss", "opponents", "best", "mistakes"];
  const isRare = ({ games }) => games === 1 && report.games > 1;
  const rare = report.groupings.flatMap(({ groups }) => groups.filter(isRare)).length;
  const rows = report.groupings.flatMap(({ words: name, groups }) =>
    [html("tr", { hidden: !showsRare && groups.every(isRare) }, html("th", { colspan: columns.length, scope: "rowgroup" }, words(name))), ...groups.map((group) => row(words(group.words), group, group.opponents_mean_loss, !showsRare && isRare(group)))]);
  const more = rare > 0 ? html("button", { type: "button", "data-key": "rare", "aria-expanded": String(showsRare), onclick: () => { showsRare = !showsRare; keepFocus(drawNumbers); } }, text(showsRare ? "hideRare" : "showRare", rare)) : null;
  byId("numbers").replaceChildren(...[html("table", {}, html("thead", {}, html("tr", {}, ...columns.map((key) => html("th", { scope: "col" }, text(key))))),
    html("tbody", {}, row(text("all"), report.play, report.opponents && report.opponents.play.mean_loss), ...rows)), more].filter(Boolean));
};

const drawAbout = () => {
  const { engine, lines, thresholds } = report;
  const names = report.names.map(({ name, games }) => text("numberOfGames", name, games)).join(language === "ja" ? "、" : ", ");
  const texts = [names, text("engineFacts", engine.id || engine.name, engine.limit_text, lines), text("marks", thresholds.scale, exactPercentText(thresholds.mistake), exactPercentText(thresholds.blunder)),
    words(report.rating.scale), text("means", thresholds.accuracy), text("rule"), text("quizRule"), text("keys"), report.program];
  byId("about").replaceChildren(...texts.map((line) => html("p", {}, line)));
};

// The mean loss of each month with its interval, and that of opponents as a ring.
const CHART = { width: 560, height: 150, left: 44, right: 12, top: 10, bottom: 22 };
const chartShape = (months) => {
  const { width, height, left, right, top, bottom } = CHART;
  const number = ({ month }) => { const [year, place] = month.split("/").map(Number); return 12 * year + place; };
  const [first, last] = [number(months[0]), number(months.at(-1))];
  const most = 1.3 * Math.max(...months.flatMap((found) => [found.mean_loss, found.opponents_mean_loss]).map((mean) => mean?.value ?? 0)) || 0.01;
  const x = (found) => left + 14 + (width - left - right - 28) * (number(found) - first) / (last - first);
  const y = (loss) => top + (height - top - bottom) * (1 - Math.min(Math.max(loss / most, 0), 1));
  const axis = [0, most / 2, most].flatMap((loss) => [svg("line", { class: "axis", x1: left, x2: width - right, y1: y(loss), y2: y(loss) }), svg("text", { x: left - 6, y: y(loss) + 4, "text-anchor": "end" }, percentText(loss, 1))]);
  const month = (found) => {
    const { mean_loss: { value, interval }, opponents_mean_loss: opponents } = found;
    return [interval && svg("line", { class: "error", x1: x(found), x2: x(found), y1: y(interval[0]), y2: y(interval[1]) }),
      opponents && svg("circle", { class: "theirs", cx: x(found), cy: y(opponents.value), r: 4.5 }), svg("circle", { class: "own", cx: x(found), cy: y(value), r: 4.5 })].filter(Boolean);
  };
  const ends = [[months[0], "start"], [months.at(-1), "end"]].map(([found, anchor]) => svg("text", { x: x(found) + (anchor === "start" ? -12 : 12), y: height - 5, "text-anchor": anchor }, found.month));
  const told = months.map(({ month: name, games, mean_loss: { value } }) => `${name} ${percentText(value, 1)} (${games})`).join(", ");
  return svg("svg", { class: "months", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${text("progressLabel")}: ${told}` }, ...axis, ...months.flatMap(month), ...ends);
};
const drawProgress = () => {
  const { progress } = report;
  byId("progress").hidden = !progress;
  if (!progress) return;
  byId("months").replaceChildren(chartShape(progress.months), html("p", { class: "soft" }, text("progressHow")), ...(progress.change ? [html("p", {}, words(progress.change.sentence))] : []));
};
