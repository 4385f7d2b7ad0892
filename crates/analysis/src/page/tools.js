// Autoplay, and copying what is shown.
byId("last").insertAdjacentHTML("afterend", '<button type="button" id="autoplay" data-label="autoplay" aria-pressed="false"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16z"/><path class="go" d="M10 8v8l6.5-4z"/><path class="pause" d="M9 8h2v8H9zM13 8h2v8h-2z"/></svg></button>');
const AUTOPLAY_MILLISECONDS = 1500;
let autoplay = null;

const isAtEnd = () => (lines.shown ? lines.shown.length === lines.shown.moves.length : state.ply === lastPly);

const stopAutoplay = () => {
  clearInterval(autoplay);
  autoplay = null;
  byId("autoplay").setAttribute("aria-pressed", "false");
};
const startAutoplay = () => {
  if (isAsking()) return;
  if (isAtEnd()) show({ ply: 0 });
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
  const { ply, length = 0 } = lines.shown ?? state;
  return sfenOf(shownPosition(), Number(report.positions[ply].sfen.split(" ")[3]) + length);
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
