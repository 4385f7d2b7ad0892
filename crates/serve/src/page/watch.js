// Kiki against Kiki: the pace, pauses and single steps. A move found during a pause waits for its end.
// `ready`: plays the move that waits, or null. `isStep`: whether the next move is played in spite of
// a pause.
const watch = { isPaused: false, isStep: false, ready: null, timer: 0 };
const PACES = [1, 2, 3];
const paceTime = () => 1000 * Number(byId("pace").value);
const fillPaces = () => {
  const chosen = byId("pace").value || PACES[0];
  byId("pace").replaceChildren(...PACES.map((seconds) => html("option", { value: seconds }, String(seconds))));
  byId("pace").value = chosen;
};

// Plays a move of Kiki when its time has come.
const inPace = (at, act) => {
  if (!isWatched()) return setTimeout(act, restOfPace(at.facts));
  clearTimeout(watch.timer);
  watch.timer = setTimeout(() => {
    if (mode !== "play" || match?.at !== at || match.over) return;
    watch.ready = () => { Object.assign(watch, { isStep: false, ready: null }); act(); };
    if (!isWaiting()) watch.ready();
  }, watch.isPaused ? 0 : Math.max(paceTime() - elapsed(), 0));
};
const isWaiting = () => watch.isPaused && !watch.isStep;
const setWatch = (state) => {
  Object.assign(watch, state);
  announce(turnText, match.at);
  if (!isWaiting()) watch.ready?.();
  draw();
};
const pauseWatch = () => setWatch({ isPaused: !watch.isPaused, isStep: false });
const stepWatch = () => setWatch({ isPaused: true, isStep: true });
const drawWatch = () => {
  for (const id of ["take-back", "hint", "resign"]) byId(id).hidden = isWatched();
  for (const id of ["pause", "step", "pace-choice", "stop"]) byId(id).hidden = !isWatched();
  drawSure("stop", "stopGame");
  byId("pause").textContent = text(watch.isPaused ? "goOnWatching" : "pause");
  for (const id of ["pause", "step", "stop"]) setIdle(id, match.over);
};
// The first press asks, as nothing brings the game back.
const stopWatch = () => {
  if (!isSure("stop")) {
    announceMore(() => text("stopAgain"));
    return drawAsked();
  }
  goTo(match.at);
  endGame(null, "interrupted");
};
// A watched game is kept if the reader wants it.
const keepWatched = () => { match.isKept = true; keepOwn(); draw(); };
