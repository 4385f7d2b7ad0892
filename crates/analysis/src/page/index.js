// The index of an analysis: players, games, and the worst moves, by one of the engines.
const index = JSON.parse(byId("index").textContent);
addTexts({
  ja: {
    indexTitle: "{0}局の解析", playersLabel: "対局者", gamesLabel: "対局", worstLabel: "悪手", filter: "絞り込み（名前、戦型、棋戦）", shown: "{1}局中 {0}局",
    game: "対局", result: "結果", accuracyBlack: "精度 ☗", accuracyWhite: "精度 ☖", opening: "戦型", length: "手数", date: "日時", badMoves: "? と ??",
    record: "勝–分–敗", gameCount: "局", noWorst: "緩手も疑問手も悪手もありません。", best: "最善 {0}", drawWord: "引き分け", wonBy: "{0}勝ち",
  },
  en: {
    indexTitle: "Analysis of {0} games", playersLabel: "Players", gamesLabel: "Games", worstLabel: "The worst moves", filter: "Filter (names, openings, events)", shown: "{0} of {1} games",
    game: "Game", result: "Result", accuracyBlack: "Accuracy ☗", accuracyWhite: "Accuracy ☖", opening: "Opening", length: "Moves", date: "Date", badMoves: "? and ??",
    record: "Won–drawn–lost", gameCount: "Games", noWorst: "There are no inaccuracies, mistakes or blunders.", best: "best was {0}", drawWord: "draw", wonBy: "{0} won",
  },
});
const state = { engine: 0, filter: "", sorts: { games: null, players: null } };

const sideName = (game, side) => game[side] || text(side);
const gameText = (game) => (game.black || game.white ? `☗${sideName(game, "black")} ☖${sideName(game, "white")}` : game.name);
const resultText = ({ outcome, reason }) => {
  const result = outcome === "draw" ? text("drawWord") : outcome ? text("wonBy", MARKS[outcome]) : "";
  return [result, reason ? text("reasons")[reason] : ""].filter(Boolean).join(" · ") || "–";
};
const openingText = ({ handicap, openings }) => (openings.length > 0 ? openings.map(formationText).join(" ") : handicap ? nameText(handicap) : "");
const pageOf = (name, ply) => `${encodeURIComponent(name)}.html#${ply === undefined ? "" : `ply=${ply}&`}lang=${language}${state.engine ? `&engine=${state.engine}` : ""}`;
const badMoves = (play) => play.mistakes + play.blunders;

// A column: its title, the content of its cells, and the sort key of rows.
const gameColumns = [
  { key: "game", cell: (game) => html("a", { href: pageOf(game.name) }, gameText(game)), by: gameText },
  { key: "opening", cell: openingText, by: openingText },
  { key: "length", cell: (game) => String(game.moves), by: (game) => game.moves },
  { key: "result", cell: resultText, by: resultText },
  { key: "accuracyBlack", cell: (game) => accuracyText(game.play[state.engine].black), by: (game) => game.play[state.engine].black.accuracy },
  { key: "accuracyWhite", cell: (game) => accuracyText(game.play[state.engine].white), by: (game) => game.play[state.engine].white.accuracy },
  { key: "badMoves", cell: ({ play }) => ["black", "white"].map((side) => `${MARKS[side]}${badMoves(play[state.engine][side])}`).join(" "), by: ({ play }) => badMoves(play[state.engine].black) + badMoves(play[state.engine].white) },
  { key: "date", cell: (game) => [game.start_time, game.event].filter(Boolean).join(" "), by: (game) => game.start_time },
];
const playerColumns = [
  { key: "player", cell: (player) => html("button", { type: "button", "data-key": `player ${player.name}`, onclick: () => filterBy(player.name) }, player.name), by: (player) => player.name },
  { key: "gameCount", cell: (player) => String(player.games), by: (player) => player.games },
  { key: "record", cell: (player) => `${player.won}–${player.drawn}–${player.lost}`, by: (player) => player.won + player.drawn / 2 },
  { key: "accuracy", cell: (player) => accuracyText(player.play[state.engine]), by: (player) => player.play[state.engine].accuracy },
  { key: "bestMoves", cell: ({ play }) => `${play[state.engine].best_moves} / ${play[state.engine].judged}`, by: ({ play }) => play[state.engine].best_moves / play[state.engine].judged },
  { key: "meanLoss", cell: ({ play }) => (play[state.engine].mean_loss === null ? "–" : percentText(play[state.engine].mean_loss, 1)), by: ({ play }) => play[state.engine].mean_loss },
  { key: "badMoves", cell: ({ play }) => String(badMoves(play[state.engine])), by: ({ play }) => badMoves(play[state.engine]) },
];

// Rows sorted by a column; unknown values come last either way.
const sorted = (rows, columns, sort) => {
  if (!sort) return rows;
  const { by } = columns.find(({ key }) => key === sort.key);
  const known = (row) => { const value = by(row); return value !== null && value !== "" && !Number.isNaN(value); };
  const compare = (a, b) => (typeof by(a) === "string" ? by(a).localeCompare(by(b), language, { numeric: true }) : by(a) - by(b));
  return [...rows.filter(known).sort((a, b) => (sort.down ? compare(b, a) : compare(a, b))), ...rows.filter((row) => !known(row))];
};
// A press on the head of a column sorts the table, a second press reverses the order.
const sortedTable = (name, columns, rows) => {
  const sort = state.sorts[name];
  const press = (key) => () => { state.sorts[name] = { key, down: sort?.key === key && !sort.down }; draw(); };
  const head = columns.map(({ key }) => html("th", { scope: "col", "aria-sort": sort?.key === key ? (sort.down ? "descending" : "ascending") : null },
    html("button", { type: "button", "data-key": `${name} ${key}`, onclick: press(key) }, text(key))));
  byId(name).replaceChildren(table(head, sorted(rows, columns, sort).map((row) => html("tr", {}, ...columns.map(({ cell }) => html("td", {}, cell(row)))))));
};

const filterBy = (words) => { byId("filter").value = words; state.filter = words; draw(); byId("games-heading").scrollIntoView(); };
const isShown = (game) => {
  const { handicap, openings } = game;
  const names = [...openings, ...(handicap ? [handicap] : [])].flatMap(({ japanese, english }) => [japanese, english]);
  const found = [game.name, game.black, game.white, game.event, game.start_time, ...names].join("\n").toLowerCase();
  return state.filter.toLowerCase().split(/\s+/).every((word) => found.includes(word));
};

const drawWorst = () => {
  const games = new Map(index.games.map((game) => [game.name, game]));
  const item = (move) => {
    const best = move.best === "win" ? text("declaration") : (move.best_japanese && moveText({ japanese: move.best_japanese, western: move.best_western })) ?? move.best;
    return html("li", {}, html("a", { href: pageOf(move.game, move.ply + 1) }, html("b", {}, moveText(move)), html("span", { class: `mark ${move.mark}` }, GLYPHS[move.mark]),
      html("span", {}, text("loss", percentText(move.loss)), " · ", move.best === "resign" ? text("engineResigns") : text("best", best)), html("small", {}, `${text("ply", move.ply + 1)}, ${gameText(games.get(move.game))}`)));
  };
  const moves = index.worst[state.engine];
  byId("worst").replaceChildren(...(moves.length ? moves.map(item) : [text("noWorst")]));
};

const drawEngines = () => {
  if (index.engines.length < 2) return;
  byId("engines").replaceChildren(...index.engines.map(({ name }, engine) => html("button", { type: "button", "data-key": `engine ${engine}`, "aria-pressed": engine === state.engine, onclick: () => { state.engine = engine; draw(); } },
    html("span", { class: "dot", style: `background:var(--engine-${engine % 4})` }), name)));
};

const drawAbout = () => {
  const { thresholds, engines, program } = index;
  const texts = [...engines.map(({ id, name, limit_text: limit }) => `${text("engine")}: ${id || name}, ${limit}`), ...thresholdTexts(thresholds), program];
  byId("about").replaceChildren(...texts.map((line) => html("p", {}, line)));
};

const draw = () => keepFocus(() => {
  const games = index.games.filter(isShown);
  byId("title").textContent = text("indexTitle", index.games.length);
  byId("facts").textContent = [...index.engines.map(({ name, limit_text: limit }) => `${name}, ${limit}`), index.complete ? "" : text("incomplete")].filter(Boolean).join(" · ");
  document.title = byId("title").textContent;
  drawLabels();
  drawEngines();
  byId("players-card").hidden = index.players.length === 0;
  sortedTable("players", playerColumns, index.players);
  byId("shown").textContent = games.length < index.games.length ? text("shown", games.length, index.games.length) : "";
  sortedTable("games", gameColumns, games);
  drawWorst();
  drawAbout();
});

byId("filter").addEventListener("input", () => { state.filter = byId("filter").value; draw(); });
language = languageOfAddress();
startHeading(draw);
draw();
