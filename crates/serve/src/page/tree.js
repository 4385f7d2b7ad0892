// The game and its variations: a tree of positions. The first child of a position is the move of
// its line, the others are variations.
const EVEN = settings.handicaps[0].sfen;
const newNode = (parent, named, more = {}) => ({ parent, move: named?.move ?? null, japanese: named?.japanese ?? "", western: named?.western ?? "", comment: "", milliseconds: null, score: null, depth: null, nodes: null, pv: [], search: null, value: more.search?.value ?? null, facts: null, children: [], ...more });
// `own`: the number of the game in the browser, if it is kept there.
const newGame = (start = EVEN, head = {}) => ({ start, head, root: newNode(null, null), outcome: null, reason: null, remark: "" });

let game = newGame();
let here = game.root;

const pathTo = (node) => (node.parent ? [...pathTo(node.parent), node] : []);
const movesTo = (node) => pathTo(node).map((step) => step.move);
const lineTo = (node) => ({ start: game.start, moves: movesTo(node) });
const plyOf = (node) => pathTo(node).length;
const lineFrom = (node) => { const line = [node]; while (line.at(-1).children.length) line.push(line.at(-1).children[0]); return line; };
const lastOfLine = (node) => lineFrom(node).at(-1);

const positionAt = (node) => movesTo(node).reduce(play, positionOf(game.start));

// The value of a position: what was found here, else what its record says, from Black's view; or null.
const valueOf = ({ value, score, parent }) => value ?? (score && (sideToMove(parent) === "black" ? score : opposite(score)));
const opposite = ({ cp, mate }) => (cp === undefined ? { mate: -mate } : { cp: -cp });

// Adds a move, as a variation if there are other moves. A known move keeps what is known of it.
const addMove = (node, named, more = {}) => {
  const found = node.children.find((child) => child.move === named.move);
  if (found) {
    for (const [key, value] of Object.entries(more)) if (!found[key]) found[key] = value;
    return found;
  }
  const child = newNode(node, named, more);
  node.children.push(child);
  return child;
};
const removeNode = (node) => { node.parent.children = node.parent.children.filter((child) => child !== node); };

// What the rules say about a position; fetched from the server once.
const withFacts = (node, then) => {
  if (node.facts) return then(node.facts);
  ask({ ask: "position", line: lineTo(node) }, (reply) => {
    if (reply.is !== "position") return;
    node.facts = reply.position;
    then(node.facts);
  });
};

// `search`: what the search of the whole game found in the position.
const stepOf = ({ move, japanese, western, comment, milliseconds, score, depth, nodes, pv, search }) => ({ move, japanese, western, comment, milliseconds, score, depth, nodes, pv, search });

// Converts a line to the form of the server's records, and back.
const recordOfLine = (first) => {
  const [moves, variations] = [[], []];
  for (let node = first; node.children.length; node = node.children[0]) {
    for (const other of node.children.slice(1)) {
      const inner = recordOfLine(other);
      variations.push({ after: moves.length, moves: [stepOf(other), ...inner.moves], variations: inner.variations.map((branch) => ({ ...branch, after: branch.after + 1 })), ending: lastOfLine(other).ending ?? null });
    }
    moves.push(stepOf(node.children[0]));
  }
  return { moves, variations };
};
const recordOf = ({ head, start, root, outcome, reason, remark }) => ({ ...head, start, comment: root.comment, search: root.search, ...recordOfLine(root), outcome, reason, remark });
const copyOf = (screen) => { const found = Object.assign(gameOfRecord(recordOf(screen.game)), { own: screen.game.own }); return { ...screen, game: found, here: nodeAt(found, movesTo(screen.here)) }; };

// The last move of a variation has its `ending`.
const growLine = (first, { moves = [], variations = [], ending = null }) => {
  const line = [first];
  for (const step of moves) line.push(addMove(line.at(-1), step, step));
  if (moves.length && ending) line.at(-1).ending = ending;
  for (const branch of variations) growLine(line[branch.after], branch);
};
const gameOfRecord = ({ start, comment = "", search = null, moves, variations, outcome = null, reason = null, remark = "", ...head }) => {
  const found = newGame(start, head);
  Object.assign(found.root, { comment, search, value: search?.value ?? null });
  growLine(found.root, { moves, variations });
  return Object.assign(found, { outcome, reason, remark });
};
const nodeAt = (found, moves) => moves.reduce((node, move) => node?.children.find((child) => child.move === move), found.root) ?? found.root;
