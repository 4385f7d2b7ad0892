// The positions to study. `answer` is the index of the candidate that the reader chose first.
const questions = report.questions.map((question) => ({ ...question, answer: null }));
// `practice` is the finding whose questions are asked, `null` for all. `shown` is the candidate on
// the board, after `length` moves of its line.
const state = { practice: null, question: 0, shown: null, length: 0, turned: false };

const isOf = (question, { grouping, group }) => question.groups.some((other) => other.grouping === grouping && other.group === group);
const asked = () => questions.filter((question) => (state.practice === null ? !question.only_practice : isOf(question, state.practice)));
const namesOf = (line) => (language === "ja" ? line.pv_japanese : line.pv_western);
const candidateText = (candidate) => (language === "ja" ? candidate.japanese : candidate.western);
const valueText = ({ cp, mate }) => {
  if (mate === null) return cp > 0 ? `+${cp}` : String(cp);
  return text(mate > 0 ? "mateFor" : "matedIn", Math.abs(mate));
};

const candidateButton = ({ answer }) => (candidate, place) => {
  const parts = [html("b", {}, candidateText(candidate))];
  let kind = "";
  if (answer !== null) {
    kind = candidate.right ? "right" : place === answer ? "wrong" : "";
    if (candidate.played) parts.push(html("small", {}, text("playedMove")));
    parts.push(html("span", { class: "value" }, `${candidate.right ? "✓ " : ""}${percentText(candidate.win)} `, html("small", {}, valueText(candidate))));
  }
  return html("button", { type: "button", class: kind, "data-key": `candidate-${place}`, "aria-pressed": answer === null ? null : String(place === state.shown), onclick: () => choose(place) }, ...parts);
};

// The engine's line after a candidate; a press on a move shows the board after it.
const lineOf = ({ candidates }, place, label) => {
  const move = (name, at) => html("button", { type: "button", "data-key": `line-${place}-${at + 1}`, "aria-pressed": String(state.shown === place && state.length === at + 1),
    onclick: () => show({ shown: place, length: at + 1 }) }, name);
  return html("div", { class: "pv" }, html("b", {}, `${label}: `), ...namesOf(candidates[place]).flatMap((name, at) => [move(name, at), " "]));
};

// The verdict, then the lines after the best, the played and the chosen move. Of equal moves the
// first label counts.
const drawAnswer = (question) => {
  const { candidates, loss, win, answer } = question;
  if (answer === null) return byId("answer").replaceChildren();
  const verdict = candidates[answer].right ? "right" : candidates[answer].played ? "wasPlayed" : "wrong";
  const best = candidates.reduce((found, candidate, place) => (candidate.win > candidates[found].win ? place : found), 0);
  const played = candidates.findIndex((candidate) => candidate.played);
  const labels = new Map([[best, "bestLine"], [played, "playedLine"], [answer, "chosenLine"]].reverse());
  const lines = [best, played, answer].filter((place, at, all) => all.indexOf(place) === at && candidates[place].pv.length > 0);
  return byId("answer").replaceChildren(html("p", {}, html("b", {}, text(verdict)), ` ${text("lossWas", percentText(win), percentText(win - loss))}`),
    ...lines.map((place) => lineOf(question, place, text(labels.get(place)))));
};

const drawScore = () => {
  const answered = asked().filter(({ answer }) => answer !== null);
  const right = answered.filter(({ candidates, answer }) => candidates[answer].right).length;
  byId("score").textContent = answered.length > 0 ? text("score", answered.length, right) : "";
};

const drawQuestion = () => {
  const all = asked();
  const question = all[state.question];
  if (!question) {
    byId("question-heading").textContent = text("noQuestions");
    for (const part of document.querySelectorAll(".play")) part.hidden = true;
    return;
  }
  const moves = state.shown === null ? [] : question.candidates[state.shown].pv.slice(0, state.length);
  const start = positionOf(question.sfen);
  const position = moves.reduce(play, start);
  const flipped = start.blackToMove === state.turned;
  const arrows = state.shown === null || state.length > 0 ? [] : [{ move: question.candidates[state.shown].move, rank: 1 }];
  const toMove = text("toMove", text(start.blackToMove ? "black" : "white"));
  drawBoard(position, { lastMove: moves.at(-1) ?? question.last_move, arrows, flipped, label: `${text("boardLabel")}: ${toMove}` });
  const side = (name) => ({ name: name || "?", notes: [] });
  drawPlayers(position, flipped, { black: side(question.black), white: side(question.white) });
  byId("question-heading").textContent = text("question", state.question + 1, all.length);
  const opening = question.groups.find(({ grouping }) => grouping === "opening");
  byId("question-facts").textContent = [question.start_time, question.game, opening && groupName(opening), text("ply", question.ply + 1), toMove].filter(Boolean).join(" · ");
  byId("practice").hidden = state.practice === null;
  byId("practice").replaceChildren(...(state.practice ? [`${text("practiceOf", groupText(state.practice))} `, html("button", { type: "button", onclick: () => practise(null) }, text("allQuestions"))] : []));
  byId("ask").textContent = text("ask");
  byId("candidates").replaceChildren(...question.candidates.map(candidateButton(question)));
  drawAnswer(question);
  drawScore();
  const ends = { back: state.question === 0, forward: state.question === all.length - 1 };
  for (const [id, isEnd] of Object.entries(ends)) byId(id).setAttribute("aria-disabled", isEnd);
};

const show = (change) => { Object.assign(state, change); keepFocus(drawQuestion); };
const goTo = (question) => show({ question, shown: asked()[question].answer, length: 0, turned: false });
const practise = (finding) => { state.practice = finding; goTo(0); byId("quiz").scrollIntoView(); };
const step = (by) => {
  const question = Math.min(Math.max(state.question + by, 0), asked().length - 1);
  if (question !== state.question && question >= 0) goTo(question);
};
const choose = (place) => {
  const question = asked()[state.question];
  if (!question || place >= question.candidates.length) return;
  question.answer ??= place;
  show({ shown: place, length: 0 });
};
