// Games against the engine, with clocks.
// { human, level, seed, at: the node of the game, over, search: a number or null, clock: null or { left, byoyomi, increment }, since }
let match = null;
const TICK = 100;
const TIME_WITHOUT_CLOCK = 2000;
const HINT_TIME = 1000;
// Minutes, seconds of byoyomi, seconds added for each move.
const CLOCKS = [null, [0, 10, 0], [0, 30, 0], [10, 30, 0], [30, 60, 0], [3, 0, 5], [10, 0, 10]];

const sideToMove = (node) => (positionOf(game.start).blackToMove === (plyOf(node) % 2 === 0) ? "black" : "white");
const otherSide = (side) => (side === "black" ? "white" : "black");
const clockName = (clock) => {
  if (!clock) return text("noClock");
  const [minutes, byoyomi, increment] = clock;
  if (minutes === 0) return text("secondsOnly", byoyomi);
  return byoyomi ? text("byoyomiClock", minutes, byoyomi) : text("fischerClock", minutes, increment);
};

const chosenClock = () => {
  const choice = byId("clock").value;
  const number = (id) => Math.min(Math.max(Number(byId(id).value) || 0, 0), 600);
  const clock = choice === "own" ? [number("minutes"), number("byoyomi"), number("increment")] : CLOCKS[Number(choice)];
  if (!clock || clock.every((part) => part === 0)) return null;
  const [minutes, byoyomi, increment] = clock;
  return { left: { black: 60000 * minutes, white: 60000 * minutes }, byoyomi: 1000 * byoyomi, increment: 1000 * increment };
};

const beginGame = () => {
  endSearches();
  const side = byId("side").value;
  const human = side === "random" ? (Math.random() < 0.5 ? "black" : "white") : side;
  const level = Number(byId("level").value);
  const clock = chosenClock();
  const engine = `Kiki ${text("levelName", level)}`;
  game = newGame(settings.handicaps[Number(byId("handicap").value)].sfen, { black: human === "black" ? text("you") : engine, white: human === "white" ? text("you") : engine });
  match = { human, level, seed: Math.floor(Math.random() * 2 ** 32), at: game.root, over: false, search: null, clock, since: performance.now() };
  flipped = human === "white";
  here = game.root;
  input.selected = null;
  nextTurn();
};

const elapsed = () => performance.now() - match.since;
// What is left of the main time and, behind it, of the byoyomi.
const timeLeft = (side) => {
  const { left, byoyomi } = match.clock;
  const isRunning = !match.over && sideToMove(match.at) === side;
  const main = left[side] - (isRunning ? elapsed() : 0);
  return { main: Math.max(main, 0), byoyomi: byoyomi + Math.min(main, 0) };
};
const clockText = ({ main, byoyomi }) => {
  const seconds = Math.max(0, Math.ceil((main > 0 ? main : byoyomi) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
const clockOf = (side) => {
  if (mode !== "play" || !match?.clock) return [];
  const left = timeLeft(side);
  return [html("span", { class: left.main + left.byoyomi < 10000 ? "clock low" : "clock", id: `clock-${side}` }, clockText(left))];
};
const tick = () => {
  if (!match?.clock || match.over) return;
  const side = sideToMove(match.at);
  const left = timeLeft(side);
  const node = byId(`clock-${side}`);
  if (node) { node.textContent = clockText(left); node.className = left.main + left.byoyomi < 10000 ? "clock low" : "clock"; }
  if (left.main <= 0 && left.byoyomi <= 0) endGame(otherSide(side), "time");
};

// Plays a move in the game and charges its time. False if the time was over before.
const playInGame = (named, more = {}) => {
  const [side, spent] = [sideToMove(match.at), Math.round(elapsed())];
  if (match.clock) {
    const { left, byoyomi, increment } = match.clock;
    if (spent > left[side] + byoyomi) { endGame(otherSide(side), "time"); return false; }
    left[side] = Math.max(left[side] - spent, 0) + increment;
  }
  const isFollowed = here === match.at;
  match.at = addMove(match.at, named, { milliseconds: spent, ...more });
  if (isFollowed) { here = match.at; byId("comment").value = here.comment; }
  hintMove = null;
  nextTurn();
  return true;
};

const nextTurn = () => {
  const { at } = match;
  match.since = performance.now();
  draw();
  withFacts(at, (facts) => {
    if (match?.at !== at || match.over) return;
    if (facts.end) return endGame(facts.end.outcome, facts.end.reason);
    const said = at.move ? `${moveText(at)}${facts.in_check ? ` ${text("check")}` : ""}. ` : "";
    if (sideToMove(at) === match.human) announce(said + text("yourTurn"));
    else { announce(said + text("thinking")); think(); }
    draw();
    keepGame();
  });
};

const think = () => {
  const { level, seed, clock, at } = match;
  const time = clock ? { clock: { black: Math.round(clock.left.black), white: Math.round(clock.left.white), byoyomi: clock.byoyomi, increment: clock.increment } } : { move: TIME_WITHOUT_CLOCK };
  Object.assign(thoughts, { node: at, lines: [] });
  match.search = ask({ ask: "play", line: lineTo(at), strength: { level, seed }, time }, (reply) => {
    if (match?.at !== at || match.over) return;
    if (reply.is === "line") return takeLine(at, reply.line);
    if (reply.is !== "answer") return;
    match.search = null;
    if (reply.action === "win") return endGame(otherSide(match.human), "declaration");
    if (reply.action === "resign") return endGame(match.human, "resignation");
    // Weaker levels misjudge what they see.
    if (level === settings.levels) at.value = reply.value;
    playInGame(reply.mv);
  });
};

const endGame = (outcome, reason) => {
  stopSearch(match.search);
  Object.assign(match, { over: true, search: null });
  Object.assign(game, { outcome, reason });
  announce(resultText());
  draw();
  keepGame();
};

// A move back to the human's own turn: two moves, or one while the engine thinks.
const mayTakeBack = () => Boolean(match) && pathTo(match.at).some((node) => sideToMove(node.parent) === match.human);
const takeBack = () => {
  if (!mayTakeBack()) return;
  stopSearch(match.search);
  let { at } = match;
  let removed = null;
  do { removed = at; at = at.parent; } while (sideToMove(at) !== match.human);
  removeNode(removed);
  Object.assign(match, { at, over: false, search: null });
  Object.assign(game, { outcome: null, reason: null, remark: "" });
  here = at;
  hintMove = null;
  input.selected = null;
  nextTurn();
};

const giveHint = () => {
  const at = here;
  ask({ ask: "analyze", line: lineTo(at), lines: 1, limit: { milliseconds: HINT_TIME } }, (reply) => {
    if (reply.is !== "answer" || here !== at || !reply.mv) return;
    hintMove = reply.mv.move;
    announce(text("hintIs", moveText(reply.mv)));
    draw();
  });
};

const playModes = {
  mayMove: () => Boolean(match) && !match.over && here === match.at && sideToMove(here) === match.human && Boolean(here.facts),
  onMove: (named) => { playInGame(named); },
};
