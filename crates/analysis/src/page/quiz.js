// A quiz of the game's bad moves: the page hides what engines say of the position before each, and
// asks for a better move.
const MOST_CHOICES = 4;
// A move that loses less than this is as good as the best one.
const RIGHT_LOSS = 0.01;

// `null` without a quiz. `places` are the plies of its questions, `at` the current question,
// `chosen` the answer.
let quiz = null;
const isAsking = () => quiz?.stage === "question";

// The choices: the engine's best line, the played move, then other lines.
const choicesAt = (ply, engine) => {
  const position = report.positions[ply];
  const search = position.searches[engine];
  const best = search.lines.find((line) => line.move === search.best) ?? search.lines[0];
  const win = (value) => (position.turn === "black" ? value.win_black : 1 - value.win_black);
  const ofLine = (line) => ({ move: line.move, name: () => firstMove(line), value: line, bound: line.bound_black, loss: Math.max(0, win(best) - win(line)) });
  const { move } = position.played;
  const played = { move, name: () => moveText(position.played), value: search.played, bound: null, loss: search.played.loss };
  const others = search.lines.filter((line) => line !== best && line.move !== move && line.pv.length > 0);
  return [ofLine(best), played, ...others.map(ofLine)].slice(0, MOST_CHOICES);
};

// The plies of the questions about one side's moves, or both sides'.
const quizPlaces = (side) => report.positions.filter(({ ply, turn, searches }) => {
  const search = searches[quiz.engine];
  return isBadMark(markBefore(ply + 1, quiz.engine)) && [turn, "both"].includes(side) && search.lines.length > 0 && !playsNoMove(search);
}).map(({ ply }) => ply);

// An order that gives nothing away and is the same each time.
const scattered = (ply, choices) => {
  const number = ({ move }) => [...`${ply}${move}`].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 1009, 7);
  return [...choices].sort((one, other) => number(one) - number(other) || (one.move < other.move ? -1 : 1));
};

const setQuiz = (change) => {
  quiz = change && { ...quiz, ...change };
  draw();
  (byId("quiz-choices").querySelector("button") ?? byId("start-quiz")).focus({ preventScroll: true });
};
const startQuiz = () => setQuiz({ stage: "side", engine: state.engine, at: 0, right: 0 });
const ask = (places, at) => {
  if (at === places.length) return setQuiz({ stage: "end" });
  show({ ply: places[at] });
  return setQuiz({ stage: "question", places, at });
};
const answer = (choice) => setQuiz({ stage: "answer", chosen: choice.move, right: quiz.right + (choice.loss < RIGHT_LOSS ? 1 : 0) });
const endQuiz = () => setQuiz(null);

const lossText = (choice) => (choice.loss < RIGHT_LOSS ? text("quizNoLoss") : text("loss", percentText(choice.loss)));
const choiceText = (ply, choice) => `${choice.name()} ${valueText(choice.value, isBlackToMove(ply), choice.bound)}, ${lossText(choice)}`;
const quizButton = (onclick, ...content) => html("button", { type: "button", onclick }, ...content);

// The text of each stage, and the buttons below it.
const STAGES = {
  side: () => {
    const sides = ["black", "white", "both"].map((side) => ({ name: side === "both" ? text("quizBoth") : MARKS[side] + playerName(side), places: quizPlaces(side) }));
    const buttons = sides.filter(({ places }) => places.length > 0).map(({ name, places }) => quizButton(() => ask(places, 0), `${name} (${places.length})`));
    return [text(buttons.length ? "quizSide" : "quizNone"), buttons];
  },
  question: () => {
    const ply = quiz.places[quiz.at];
    const buttons = scattered(ply, choicesAt(ply, quiz.engine)).map((choice, at) => quizButton(() => answer(choice), html("small", {}, `${at + 1} `), choice.name()));
    return [`${quiz.at + 1} / ${quiz.places.length} · ${text("ply", ply + 1)} · ${text("quizQuestion")}`, buttons];
  },
  answer: () => {
    const ply = quiz.places[quiz.at];
    const choices = choicesAt(ply, quiz.engine);
    const chosen = choices.find(({ move }) => move === quiz.chosen);
    const told = [text(chosen.loss < RIGHT_LOSS ? "quizRight" : "quizWrong"), choiceText(ply, chosen)];
    if (chosen !== choices[0]) told.push(`${text("bestWas")} ${choiceText(ply, choices[0])}`);
    const rows = choices.map((choice) => html("li", {}, choiceText(ply, choice), choice.move === report.positions[ply].played.move ? html("small", {}, ` ${text("played")}`) : null));
    return [told.join(" · "), [quizButton(() => ask(quiz.places, quiz.at + 1), text("quizNext")), html("ol", {}, ...rows)]];
  },
  end: () => [text("quizScore", quiz.right, quiz.places.length), [quizButton(startQuiz, text("quizAgain"))]],
};

const drawQuiz = () => {
  byId("quiz").hidden = quiz === null;
  document.body.classList.toggle("asking", isAsking());
  const [told, nodes] = quiz ? STAGES[quiz.stage]() : ["", []];
  if (byId("quiz-told").textContent !== told) byId("quiz-told").textContent = told;
  byId("quiz-choices").replaceChildren(...nodes, ...(quiz ? [quizButton(endQuiz, text("quizLeave"))] : []));
};

byId("start-quiz").addEventListener("click", startQuiz);
addEventListener("keydown", (event) => {
  if (!isAsking() || event.ctrlKey || event.altKey || event.metaKey) return;
  // The last button leaves the quiz.
  byId("quiz-choices").querySelectorAll("button:not(:last-child)")[/^[1-4]$/.test(event.key) ? event.key - 1 : -1]?.click();
});
