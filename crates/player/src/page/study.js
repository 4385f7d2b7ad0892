// What to study: lists of questions. `answer` is what the reader did: a move, GIVEN_UP, or null.
const GIVEN_UP = "given up";
const questions = report.questions.map((question) => ({ ...question, answer: null }));
const isOf = (question, { grouping, group }) => question.groups.some((other) => other.grouping === grouping && other.group === group);

// The group of a finding.
const groupingOf = ({ grouping }) => report.groupings.find(({ key }) => key === grouping);
const groupName = (found) => words(groupingOf(found).groups.find(({ key }) => key === found.group).words);
const groupText = (found) => `${words(groupingOf(found).words)}: ${groupName(found)}`;

// The lists, by key: a name, and the questions.
const MOST_OF_SUBJECT = 8;
const LISTS = {
  mates: { name: () => text("matesLabel"), questions: questions.filter((question) => question.missed_mate !== null).sort((one, other) => one.missed_mate - other.missed_mate) },
  all: { name: () => text("allQuestions"), questions: questions.filter((question) => !question.only_practice) },
};
report.subjects.forEach((subject, at) => {
  LISTS[`subject ${at}`] = { name: () => words(subject.words), questions: questions.filter((question) => isOf(question, subject)).slice(0, MOST_OF_SUBJECT) };
});
const listOfFinding = (found) => {
  const key = `group ${found.grouping} ${found.group}`;
  LISTS[key] ??= { name: () => groupText(found), questions: questions.filter((question) => isOf(question, found)).slice(0, MOST_OF_SUBJECT) };
  return key;
};

// `list` is a key of LISTS, `question` a place in it.
const state = { list: report.subjects.length > 0 ? "subject 0" : "all", question: 0, turned: false };
const asked = () => LISTS[state.list].questions;
const current = () => asked()[state.question];

// The candidate that the engine knows of a move.
const candidateOf = ({ candidates }, move) => candidates.find((candidate) => candidate.move === move);
const bestOf = ({ candidates }) => candidates.reduce((best, candidate) => (candidate.win > best.win ? candidate : best));
const playedOf = ({ candidates }) => candidates.find((candidate) => candidate.played);
// "right", "wrong", "wasPlayed", "unknown" or "givenUp". A move beyond the engine's lines is worse
// than they are; if all of them are right, nobody knows by how much.
const verdictOf = (question) => {
  const { answer, candidates } = question;
  if (answer === GIVEN_UP) return "givenUp";
  const known = candidateOf(question, answer);
  if (known) return known.right ? "right" : known.played ? "wasPlayed" : "wrong";
  return candidates.every((candidate) => candidate.right || candidate.played) ? "unknown" : "wrong";
};
const MARKS_OF_VERDICTS = { right: "✓", unknown: "・", givenUp: "・", wrong: "✗", wasPlayed: "✗" };
const answerMark = (question) => (question.answer === null ? "" : MARKS_OF_VERDICTS[verdictOf(question)]);

const drawStudy = () => {
  const { subjects } = report;
  byId("study-heading").textContent = text(subjects.length === 3 ? "studyThree" : subjects.length > 0 ? "studyFew" : "studyNone");
  const subject = ({ words: name, cost }, at) => {
    const key = `subject ${at}`;
    const isShown = state.list === key;
    const shown = html("button", { type: "button", "data-key": key, "aria-pressed": String(isShown), onclick: () => open(key) },
      html("span", { class: "number" }, String(at + 1)), html("b", {}, words(name)), html("span", { class: "cost" }, text("points", (100 * cost.value).toFixed(cost.value < 0.0995 ? 1 : 0))));
    return html("li", { class: isShown ? "shown" : null }, shown);
  };
  byId("subjects").replaceChildren(...subjects.map(subject));
  const list = (key) => html("button", { type: "button", "data-key": key, "aria-pressed": String(state.list === key), onclick: () => open(key) }, `${LISTS[key].name()} (${LISTS[key].questions.length})`);
  byId("sets").replaceChildren(...["mates", "all"].filter((key) => LISTS[key].questions.length > 0).map(list));
};

// The game of a question and the number of its move.
const placeText = ({ start_time: time, game, ply }) => [time, game, text("ply", ply + 1)].filter(Boolean).join(" · ");

const drawMates = () => {
  const list = LISTS.mates.questions;
  byId("mates").hidden = !report.mates;
  byId("mates-told").textContent = report.mates ? words(report.mates.sentence) : "";
  byId("mates-list").replaceChildren(...list.map((question, at) => html("li", {}, html("button", { type: "button", "data-key": `mate ${at}`, onclick: () => open("mates", at) },
    html("b", {}, question.missed_mate >= UNKNOWN_MATE ? text("mate") : text("mateFor", question.missed_mate)), ` ${placeText(question)} ${answerMark(question)}`))));
};
