// The collections of mating problems: the page's own, those of a file, and mates that the reader
// missed in analysed games. What the reader has solved is kept for the next visit.
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
// A problem that was not solved at the first try comes again after these times. Solved then, it
// goes to the next box and after the last one it is learned; a mistake puts it back into the first
// (the boxes of Leitner, "So lernt man lernen", 1972).
const BOXES = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY];
const GRADES = 3;
const MOST_OWN = 300;
const MOST_MISSED = 25;
const KEPT_PROBLEMS = "problems";
const SOLVED = 0;

// `known`: SOLVED or { box, due } by position. `own`: { sfen, plies, game, ply } each. `day`: the
// last one with a solved problem. `set`, `grade`: the choice of problems; an empty grade for all.
const progress = { known: {}, own: [], day: { date: "", solved: [], row: 0 }, set: null, grade: "" };
const FILE_PROBLEMS = "problems of a file";
let fileProblems = [];

// Another tab may have written since. The choice of problems is each tab's own, but for its first.
const takeProgress = (takesChoice = false) => {
  try {
    const { set, grade, ...shared } = JSON.parse(localStorage.getItem(KEPT_PROBLEMS)) ?? {};
    Object.assign(progress, shared, takesChoice && set !== undefined && { set, grade });
    // Before there were boxes, a list of solved problems was kept.
    for (const sfen of JSON.parse(localStorage.getItem("solved")) ?? []) progress.known[sfen] ??= SOLVED;
    localStorage.removeItem("solved");
  } catch { /* The storage is forbidden, or has nothing that this page wrote. */ }
  try { fileProblems = JSON.parse(sessionStorage.getItem(FILE_PROBLEMS)) ?? fileProblems; } catch { /* So too. */ }
};
const keepProgress = () => { try { localStorage.setItem(KEPT_PROBLEMS, JSON.stringify(progress)); } catch { /* It lasts as long as the tab. */ } };

const isSolved = (sfen) => progress.known[sfen] === SOLVED;
const isDue = (sfen) => progress.known[sfen]?.due <= Date.now();
const dueNow = () => Object.keys(progress.known).filter(isDue);
const dateOf = (time) => { const day = new Date(time); return `${day.getFullYear()}-${day.getMonth() + 1}-${day.getDate()}`; };
const solvedToday = () => (progress.day.date === dateOf(Date.now()) ? progress.day.solved.length : 0);
const daysInRow = () => ([Date.now(), Date.now() - DAY].map(dateOf).includes(progress.day.date) ? progress.day.row : 0);

const noteMistake = (sfen) => {
  takeProgress();
  progress.known[sfen] = { box: 0, due: Date.now() + BOXES[0] };
  keepProgress();
};
const noteSolved = (sfen, isFlawless) => {
  takeProgress();
  const before = progress.known[sfen];
  if (!isFlawless) noteMistake(sfen);
  else if (!before) progress.known[sfen] = SOLVED;
  // Before its time a problem stays in its box.
  else if (isDue(sfen)) progress.known[sfen] = before.box + 1 < BOXES.length ? { box: before.box + 1, due: Date.now() + BOXES[before.box + 1] } : SOLVED;
  const today = dateOf(Date.now());
  if (progress.day.date !== today) progress.day = { date: today, solved: [], row: daysInRow() + 1 };
  if (!progress.day.solved.includes(sfen)) progress.day.solved.push(sfen);
  keepProgress();
};

// Each of the page's own problems is an SFEN whose move number is the length of the mate: of one
// length the easiest first.
const builtIn = settings.problems.map((line) => {
  const words = line.split(" ");
  return { sfen: `${words.slice(0, 3).join(" ")} 1`, plies: Number(words[3]), hasMate: true };
});
const LENGTHS = [...new Set(builtIn.map(({ plies }) => plies))];
for (const length of LENGTHS) {
  const same = builtIn.filter(({ plies }) => plies === length);
  same.forEach((problem, index) => Object.assign(problem, { number: index + 1, grade: Math.floor((index * GRADES) / same.length) }));
}
const starsOf = (grade) => "★".repeat(grade + 1) + "☆".repeat(GRADES - 1 - grade);
const numberOf = ({ number, grade }) => text("problemNumber", number, starsOf(grade));
const nameOf = (problem, at) => {
  const { number, game: title, plies, ply } = problem;
  if (title !== undefined) return text("ownProblem", title, ply, plies);
  return number === undefined ? text("fileProblem", at + 1) : text("problemName", numberOf(problem), plies);
};
// In a list of one length, which its collection names, the length would be cut off.
const nameInList = (problem, at) => (problem.plies === Number(progress.set) ? numberOf(problem) : nameOf(problem, at));
const forgetOwn = (sfen) => {
  takeProgress();
  progress.own = progress.own.filter((own) => own.sfen !== sfen);
  delete progress.known[sfen];
  keepProgress();
};
// The problems of a collection: `due`, `own`, `file` or a length.
const problemsOf = (set) => {
  if (set === "own") return progress.own.map((problem) => ({ ...problem, hasMate: true }));
  if (set === "file") return fileProblems.map((sfen) => ({ sfen }));
  if (set !== "due") return builtIn.filter(({ plies }) => plies === Number(set));
  const all = new Map([...fileProblems.map((sfen) => [sfen, { sfen }]), ...problemsOf("own").concat(builtIn).map((problem) => [problem.sfen, problem])]);
  return [...new Set([solving.kept, ...dueNow()])].filter(Boolean).map((sfen) => all.get(sfen) ?? { sfen });
};
const nameOfSet = (set) => {
  const problems = problemsOf(set);
  if (set === "due") return text("dueSet", problems.length);
  const done = problems.filter(({ sfen }) => isSolved(sfen)).length;
  const name = set === "own" ? text("ownSet") : set === "file" ? text("fileSet") : text("lengthSet", set);
  return `${name} (${done}/${problems.length})`;
};
const setsShown = () => [...["due", ...LENGTHS, "own", "file"].filter((set) => set === progress.set || problemsOf(set).length > 0)].map(String);

const titleOfGame = () => { const name = fileName(); return name === "kiki" ? dateOf(Date.now()) : name; };
// The mates that were there in a searched line, but were not played on: the side that had one no
// longer has it after the move.
const missedMates = (line) => line.flatMap((node, ply) => {
  const next = line[ply + 1];
  const sign = sideToMove(node) === "black" ? 1 : -1;
  const plies = (node.value?.mate ?? 0) * sign;
  if (!next?.value || !node.facts || plies <= 0 || plies > MOST_MISSED || (next.value.mate ?? 0) * sign > 0) return [];
  return [{ sfen: `${node.facts.sfen.split(" ").slice(0, 3).join(" ")} 1`, game: titleOfGame(), ply: ply + 1, line: lineTo(node) }];
});
// Adds the missed mates that are mates by checks, one after the other; then calls `then` with their
// number. Another search ends it.
const collectMissed = (line, then) => {
  const missed = missedMates(line).filter(({ sfen }) => !progress.own.some((own) => own.sfen === sfen));
  analysis.missed = missed;
  let count = 0;
  const next = () => {
    const found = missed.shift();
    if (!found) return then(count);
    ask({ ask: "mate", line: found.line, seconds: CHECK_SECONDS }, ({ verdict, moves }) => {
      if (analysis.missed !== missed) return;
      if (verdict === "mate") {
        takeProgress();
        progress.own = [...progress.own, { sfen: found.sfen, plies: moves.length, game: found.game, ply: found.ply }].slice(-MOST_OWN);
        progress.known[found.sfen] = { box: 0, due: Date.now() };
        count += 1;
        keepProgress();
      }
      next();
    });
  };
  next();
};
