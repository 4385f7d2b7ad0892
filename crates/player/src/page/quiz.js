// A question on the board: the reader plays a move, then the page tells the best one.
let legalHere = { sfen: null, moves: [] };
const startOf = ({ sfen }) => positionOf(sfen);
const isAsking = () => current()?.answer === null;

input.isFlipped = () => startOf(current()).blackToMove === state.turned;
input.mayMove = isAsking;
input.legal = () => {
  const { sfen } = current();
  if (legalHere.sfen !== sfen) legalHere = { sfen, moves: legalMovesOf(positionOf(sfen)).map((move) => ({ move })) };
  return legalHere.moves;
};
input.onMove = ({ move }) => answer(move);
input.onIllegal = (move) => announce(text(move === null ? "notYours" : "notLegal"));
const announce = (told) => { byId("told").textContent = told; };

const pvTexts = (line) => (language === "ja" ? line.pv_japanese : line.pv_western);
// What can be shown after the answer. Of equal moves the first line counts.
const linesOf = (question) => {
  const { answer: move, reason } = question;
  const named = () => { const { japanese, western } = ownNames(startOf(question), move); return { move, pv: [move], pv_japanese: [japanese], pv_western: [western] }; };
  const chosen = move === GIVEN_UP ? null : candidateOf(question, move) ?? named();
  const lines = [{ key: "best", line: bestOf(question) }, { key: "played", line: playedOf(question) }, { key: "chosen", line: chosen }].filter(({ line }) => line);
  const different = lines.filter(({ line }, at) => lines.findIndex((other) => other.line.move === line.move) === at);
  return [...different, ...(reason?.pv.length ? [{ key: "reason", line: reason }] : [])];
};
const shownMoves = (question) => (state.line ? linesOf(question).find(({ key }) => key === state.line.key).line.pv.slice(0, state.line.length) : []);
const shownPosition = () => shownMoves(current()).reduce(play, startOf(current()));

const valueText = ({ cp, mate }) => {
  if (mate === null) return cp > 0 ? `+${cp}` : String(cp);
  return Math.abs(mate) >= UNKNOWN_MATE ? text("mate") : text(mate > 0 ? "mateFor" : "matedIn", Math.abs(mate));
};

// A line with its value; a press on a move shows the board after it.
const lineNode = ({ key, line }) => {
  const move = (name, at) => {
    const place = { key, length: at + 1 };
    const isShown = state.line?.key === key && state.line.length === place.length;
    return html("button", { type: "button", "data-key": `line ${key} ${place.length}`, "aria-pressed": String(isShown), onclick: () => show({ line: place }) }, name);
  };
  const value = line.win === undefined ? null : html("small", {}, ` ${percentText(line.win)} (${valueText(line)})`);
  return html("div", { class: "pv" }, key === "reason" ? null : html("b", {}, `${text(`${key}Line`)}: `), ...pvTexts(line).flatMap((name, at) => [move(name, at), " "]), value);
};

const answerNodes = (question) => {
  const { loss, win, reason, page, ply, missed_mate: mate } = question;
  const lines = linesOf(question);
  const verdict = verdictOf(question);
  const lost = loss < report.thresholds.mistake && mate !== null ? text("missedMate") : text("lossWas", percentText(win), percentText(win - loss));
  const shown = lines.find(({ key }) => key === "reason");
  const link = page && html("p", {}, html("a", { href: `${page.split("/").map(encodeURIComponent).join("/")}#ply=${ply + 1}&lang=${language}` }, text("wholeGame")));
  const next = state.question + 1 < asked().length ? html("button", { type: "button", class: "main", "data-key": "next", onclick: () => goTo(state.question + 1) }, text("nextQuestion")) : null;
  return [html("p", { class: `told ${verdict}` }, html("b", {}, text(verdict)), ` ${lost}`), ...lines.filter(({ key }) => key !== "reason").map(lineNode),
    reason && html("p", { class: "reason" }, html("b", {}, text("why")), ` ${language === "ja" ? reason.japanese : reason.english}`), shown && lineNode(shown), link, next].filter(Boolean);
};

const questionNodes = (question) => [
  html("p", { class: "ask" }, text(question.missed_mate === null ? "ask" : "askMate", text(startOf(question).blackToMove ? "black" : "white"))),
  html("button", { type: "button", "data-key": "give up", onclick: () => answer(GIVEN_UP) }, text("giveUp")),
];

const drawQuestion = () => {
  const question = current();
  for (const part of document.querySelectorAll(".play, .question")) part.hidden = !question;
  if (!question) return;
  const all = asked();
  byId("question-heading").textContent = `${LISTS[state.list].name()} ${state.question + 1} / ${all.length}`;
  byId("places").replaceChildren(...(all.length > 1 ? all.map((other, at) => html("button", { type: "button", "data-key": `place ${at}`, "aria-pressed": String(at === state.question), onclick: () => goTo(at) }, `${at + 1}${answerMark(other)}`)) : []));
  const opening = question.groups.find(({ grouping }) => grouping === "opening");
  byId("question-facts").textContent = [placeText(question), opening && groupName(opening)].filter(Boolean).join(" · ");
  byId("answer").replaceChildren(...(isAsking() ? questionNodes(question) : answerNodes(question)));
  const answered = all.filter((other) => other.answer !== null);
  byId("score").textContent = answered.length > 0 ? text("score", answered.length, answered.filter((other) => verdictOf(other) === "right").length) : "";
  const most = state.line && linesOf(question).find(({ key }) => key === state.line.key).line.pv.length;
  const ends = state.line ? { back: false, forward: state.line.length === most } : { back: state.question === 0, forward: state.question === all.length - 1 };
  for (const [id, isEnd] of Object.entries(ends)) byId(id).setAttribute("aria-disabled", isEnd);
};

const drawPosition = () => {
  const question = current();
  if (!question) return;
  const position = shownPosition();
  const moves = shownMoves(question);
  const flipped = input.isFlipped();
  const arrows = isAsking() || state.line ? [] : [{ move: bestOf(question).move, rank: 1 }, { move: playedOf(question).move, rank: 2 }];
  const toMove = text("toMove", text(position.blackToMove ? "black" : "white"));
  drawBoard(position, { lastMove: moves.at(-1) ?? question.last_move, arrows, flipped, label: `${text("boardLabel")}: ${toMove}`, tints: tintsOfInput(), dots: targetsOfInput() });
  drawSquares(position);
  const side = (key) => ({ name: question[key] || text(key), notes: [], hand: isAsking() ? handButtons(position, key) : null });
  drawPlayers(position, flipped, { black: side("black"), white: side("white") });
};
const draw = () => keepFocus(() => { drawStudy(); drawMates(); drawQuestion(); drawPosition(); }, "next");

const show = (change) => {
  Object.assign(state, change);
  input.selected = null;
  closePromotion();
  announce("");
  draw();
};
const goTo = (question) => show({ question, line: null, turned: false });
const open = (list, question = 0) => {
  show({ list, question, line: null, turned: false });
  document.querySelector(".play").scrollIntoView({ block: "nearest" });
};
const answer = (move) => { current().answer = move; show({ line: null }); };
// Steps within the shown line, else to another question.
const step = (by) => {
  if (!current()) return;
  if (state.line) {
    const { key, length } = state.line;
    const { pv } = linesOf(current()).find((line) => line.key === key).line;
    return show({ line: length + by > 0 ? { key, length: Math.min(length + by, pv.length) } : null });
  }
  const question = Math.min(Math.max(state.question + by, 0), asked().length - 1);
  if (question !== state.question) goTo(question);
};
buildSquares();
