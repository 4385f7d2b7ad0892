// A question on the board: the reader plays a move, then the page tells the best one.
const startOf = ({ sfen }) => positionOf(sfen);
const isAsking = () => current()?.answer === null;

input.isFlipped = () => startOf(current()).blackToMove === state.turned;
input.mayMove = isAsking;
input.legal = () => legalHere(startOf(current()));
input.onMove = ({ move }) => answer(move);
input.onIllegal = (move) => announce(text(move === null ? "notYours" : "notLegal"));
const announce = (told) => { byId("told").textContent = told; };

// What can be shown after the answer. Of equal moves the first line counts.
const linesOf = (question) => {
  const { answer: move, reason } = question;
  const start = startOf(question);
  // Of some moves the engine told a value alone.
  const known = (found) => found && { ...found, moves: found.pv.length ? namedMoves(found) : [found] };
  const named = () => ({ moves: [ownNames(start, move)] });
  const found = [["best", known(bestOf(question))], ["played", known(playedOf(question))], ["chosen", move === GIVEN_UP ? null : known(candidateOf(question, move)) ?? named()]].filter(([, line]) => line);
  const different = found.filter(([, { moves: [first] }], at) => found.findIndex(([, other]) => other.moves[0].move === first.move) === at);
  // A line stands once: that of the reason takes the place of its beginning, or has no place of its own.
  const why = reason?.pv.length ? known(reason) : null;
  const begins = (one, other) => one.moves.every((named, at) => named.move === other.moves[at]?.move);
  const rows = different.map(([key, line]) => [key, why && begins(line, why) ? { ...line, moves: why.moves } : line]);
  if (why && !rows.some(([, line]) => begins(why, line))) rows.push(["reason", why]);
  return rows.map(([key, line]) => ({ ...line, key, start }));
};
const shownPosition = () => boardOfLine()?.position ?? startOf(current());

const valueText = ({ cp, mate }) => {
  if (mate === null) return cp > 0 ? `+${cp}` : String(cp);
  return Math.abs(mate) >= UNKNOWN_MATE ? text("mate") : text(mate > 0 ? "mateFor" : "matedIn", Math.abs(mate));
};

const lineNode = (line) => lineMoves(line, {
  before: line.key === "reason" ? null : html("b", {}, `${text(`${line.key}Line`)}: `),
  after: line.win === undefined ? null : html("small", {}, ` ${percentText(line.win)} (${valueText(line)})`),
});

const answerNodes = (question) => {
  const { loss, win, reason, page, ply, missed_mate: mate } = question;
  const found = linesOf(question);
  const verdict = verdictOf(question);
  const lost = loss < report.thresholds.mistake && mate !== null ? text("missedMate") : text("lossWas", percentText(win), percentText(win - loss));
  const shown = found.find(({ key }) => key === "reason");
  const link = page && html("p", {}, html("a", { href: `${page.split("/").map(encodeURIComponent).join("/")}#ply=${ply + 1}&lang=${language}` }, text("wholeGame")));
  const next = state.question + 1 < asked().length ? html("button", { type: "button", class: "main", "data-key": "next", onclick: () => goTo(state.question + 1) }, text("nextQuestion")) : null;
  return [html("p", { class: `told ${verdict}` }, html("b", {}, text(verdict)), ` ${lost}`), ...found.filter(({ key }) => key !== "reason").flatMap(lineNode),
    reason && html("p", { class: "reason" }, html("b", {}, text("why")), ` ${toldReason(reason)}`), ...(shown ? lineNode(shown) : []), link, next].filter(Boolean);
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
  const ends = lines.shown ? { back: false, forward: lines.shown.length === lines.shown.moves.length } : { back: state.question === 0, forward: state.question === all.length - 1 };
  for (const [id, isEnd] of Object.entries(ends)) byId(id).setAttribute("aria-disabled", isEnd);
};

const drawPosition = () => {
  const question = current();
  if (!question) return;
  const [position, line] = [shownPosition(), boardOfLine()];
  const flipped = input.isFlipped();
  const arrows = isAsking() || line ? [] : [{ move: bestOf(question).move, rank: 1 }, { move: playedOf(question).move, rank: 2 }];
  const toMove = text("toMove", text(position.blackToMove ? "black" : "white"));
  drawBoard(position, { lastMove: line?.lastMove ?? question.last_move, arrows, flipped, label: `${text("boardLabel")}: ${toMove}`, tints: tintsOfInput(), dots: targetsOfInput() });
  drawSquares(position);
  const side = (key) => ({ name: question[key] || text(key), notes: [], hand: isAsking() ? handButtons(position, key) : null });
  drawPlayers(position, flipped, { black: side("black"), white: side("white") });
};
const draw = () => keepFocus(() => { drawStudy(); drawMates(); drawQuestion(); drawPosition(); }, "next");

Object.assign(lines, { onShow: () => draw(), onPeek: () => drawPosition() });

const show = (change) => {
  Object.assign(state, change);
  forgetLines();
  input.selected = null;
  closePromotion();
  announce("");
  draw();
};
const goTo = (question) => show({ question, turned: false });
const open = (list, question = 0) => {
  show({ list, question, turned: false });
  document.querySelector(".play").scrollIntoView({ block: "nearest" });
};
const answer = (move) => { current().answer = move; show({}); };
// Steps within the shown line, else to another question.
const step = (by) => {
  if (!current()) return;
  if (lines.shown) return stepLine(by);
  const question = Math.min(Math.max(state.question + by, 0), asked().length - 1);
  if (question !== state.question) goTo(question);
};
buildSquares();
