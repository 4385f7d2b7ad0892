// Autoplay, and copying what is shown.
const AUTOPLAY_MILLISECONDS = 1500;
let autoplay = null;

const isAtEnd = () => (state.line ? state.line.length === shownLine(state.ply, state.line).pv.length : state.ply === lastPly);

const stopAutoplay = () => {
  clearInterval(autoplay);
  autoplay = null;
  byId("autoplay").setAttribute("aria-pressed", "false");
};
const startAutoplay = () => {
  if (isAsking()) return;
  if (isAtEnd()) show({ ply: 0, line: null });
  autoplay = setInterval(() => { step(1); if (isAtEnd()) stopAutoplay(); }, AUTOPLAY_MILLISECONDS);
  byId("autoplay").setAttribute("aria-pressed", "true");
};
byId("autoplay").addEventListener("click", () => (autoplay === null ? startAutoplay() : stopAutoplay()));

// Presses on the button are left to its click handler; Enter and space click it too.
const pressesAutoplay = (event) => event.type !== "wheel" && byId("autoplay").contains(event.target) && (event.type !== "keydown" || ["Enter", " "].includes(event.key));
for (const kind of ["keydown", "pointerdown", "wheel"]) {
  addEventListener(kind, (event) => { if (autoplay !== null && !pressesAutoplay(event)) stopAutoplay(); }, { capture: true, passive: true });
}

const shownSfen = () => {
  const number = Number(report.positions[state.ply].sfen.split(" ")[3]);
  return sfenOf(shownPosition(), number + (state.line?.length ?? 0));
};

// If the browser refuses its clipboard, the reader copies from a field.
const copy = async (content) => {
  forgetCopy();
  try {
    await navigator.clipboard.writeText(content);
    byId("copied").textContent = text("copied");
  } catch {
    byId("copied").textContent = text("copyRefused");
    const field = byId("copied-text");
    Object.assign(field, { value: content, hidden: false });
    field.focus();
    field.select();
  }
};
const forgetCopy = () => {
  byId("copied").textContent = "";
  byId("copied-text").hidden = true;
};
byId("copy-position").addEventListener("click", () => copy(shownSfen()));
byId("copy-record").addEventListener("click", () => copy(report.game.kif));
byId("copy-record").hidden = report.game.kif === null;
