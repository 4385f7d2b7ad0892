// The positions to study.
const questions = report.questions;
// The answer to each question is the place of the first candidate that was chosen; `shown` is the candidate on the board.
const state = { question: 0, answers: questions.map(() => null), shown: null, turned: false };

const candidateText = (candidate) => (language === "ja" ? candidate.japanese : candidate.western);
const valueText = ({ cp, mate }) => {
  if (mate === null) return cp > 0 ? `+${cp}` : String(cp);
  return text(mate > 0 ? "mateFor" : "matedIn", Math.abs(mate));
};

const candidateButton = (candidate, place) => {
  const answer = state.answers[state.question];
  const parts = [html("b", {}, candidateText(candidate))];
  let kind = "";
  if (answer !== null) {
    kind = candidate.right ? "right" : place === answer ? "wrong" : "";
    if (candidate.played) parts.push(html("small", {}, text("playedMove")));
    parts.push(html("span", { class: "value" }, `${candidate.right ? "✓ " : ""}${percentText(candidate.win)} `, html("small", {}, valueText(candidate))));
  }
  return html("button", { type: "button", class: kind, "data-key": `candidate-${place}`, "aria-pressed": answer === null ? null : String(place === state.shown), onclick: () => choose(place) }, ...parts);
};

const drawAnswer = ({ candidates, loss, win }) => {
  const answer = state.answers[state.question];
  if (answer === null) return byId("answer").replaceChildren();
  const shown = candidates[state.shown];
  const verdict = candidates[answer].right ? "right" : candidates[answer].played ? "wasPlayed" : "wrong";
  const line = language === "ja" ? shown.pv_japanese : shown.pv_western;
  byId("answer").replaceChildren(html("p", {}, html("b", {}, text(verdict)), ` ${text("lossWas", percentText(loss), percentText(win))}`),
    line.length > 0 ? html("p", { class: "line" }, text("expected", line.join(" "))) : "");
};

const drawScore = () => {
  const answered = questions.filter((_, index) => state.answers[index] !== null).length;
  const right = questions.filter(({ candidates }, index) => state.answers[index] !== null && candidates[state.answers[index]].right).length;
  byId("score").textContent = answered > 0 ? text("score", answered, right) : "";
};

const drawQuestion = () => {
  const question = questions[state.question];
  if (!question) {
    byId("question-heading").textContent = text("noQuestions");
    for (const part of document.querySelectorAll(".play")) part.hidden = true;
    return;
  }
  const position = positionOf(question.sfen);
  const flipped = position.blackToMove === state.turned;
  const shown = state.shown === null ? [] : [{ move: question.candidates[state.shown].move, rank: 1 }];
  const toMove = text("toMove", text(position.blackToMove ? "black" : "white"));
  drawBoard(position, { lastMove: question.last_move, arrows: shown, flipped, label: `${text("boardLabel")}: ${toMove}` });
  const side = (name) => ({ name: name || "?", notes: [] });
  drawPlayers(position, flipped, { black: side(question.black), white: side(question.white) });
  byId("question-heading").textContent = text("question", state.question + 1, questions.length);
  byId("question-facts").textContent = [question.start_time, question.game, text("ply", question.ply + 1), toMove].filter(Boolean).join(" · ");
  byId("ask").textContent = text("ask");
  byId("candidates").replaceChildren(...question.candidates.map(candidateButton));
  drawAnswer(question);
  drawScore();
  const ends = { back: state.question === 0, forward: state.question === questions.length - 1 };
  for (const [id, isEnd] of Object.entries(ends)) byId(id).setAttribute("aria-disabled", isEnd);
};

const show = (change) => { Object.assign(state, change); keepFocus(drawQuestion); };
const step = (by) => {
  const question = Math.min(Math.max(state.question + by, 0), questions.length - 1);
  if (question !== state.question && question >= 0) show({ question, shown: state.answers[question], turned: false });
};
const choose = (place) => {
  const question = questions[state.question];
  if (!question || place >= question.candidates.length) return;
  if (state.answers[state.question] === null) state.answers[state.question] = place;
  show({ shown: place });
};
