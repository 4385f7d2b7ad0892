// How the board looks, what is heard, and how moves are written: kept in the browser for the next
// visit.
const LOOK = "look";
// The choices of each field, the usual one first.
const LOOKS = { pieces: Object.keys(SIGNS), board: ["wood", "green", "slate"], notation: ["auto", "kanji", "arabic", "western"], brightness: ["auto", "light", "dark"] };
const SWITCHES = ["sound", "voice"];
const look = { pieces: "one", board: "wood", notation: "auto", brightness: "auto", sound: !isStill(), voice: false };

// The rules for dark screens. They follow the system, or the reader's choice.
const DARK = "screen and (prefers-color-scheme: dark)";
const darkRules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).filter(({ media }) => media?.mediaText === DARK);
const useBrightness = () => {
  const isChosen = look.brightness !== "auto";
  for (const { media } of darkRules) media.mediaText = !isChosen ? DARK : look.brightness === "dark" ? "screen" : "not all";
  document.documentElement.style.colorScheme = isChosen ? look.brightness : "";
};
const useLook = () => {
  useBrightness();
  pieceSet = look.pieces;
  notation = look.notation === "auto" ? null : look.notation;
  document.documentElement.dataset.board = look.board;
};
const fillLook = () => {
  for (const [field, values] of Object.entries(LOOKS)) {
    byId(`look-${field}`).replaceChildren(...values.map((value) => html("option", { value }, text("looks")[value] ?? text(value))));
    byId(`look-${field}`).value = look[field];
  }
  for (const field of SWITCHES) byId(`look-${field}`).checked = look[field];
};
const changeLook = (field, value) => {
  look[field] = value;
  try { localStorage.setItem(LOOK, JSON.stringify(look)); } catch { /* The next visit begins with the usual look. */ }
  useLook();
  // A press on the switch lets the browser play sounds.
  if (field === "sound") clack();
  if (field === "voice") say(text("voiceSample"));
  drawPalette();
  tellAgain();
  draw();
};
const takeLook = () => {
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(LOOK)) ?? {}; } catch { /* As on the first visit. */ }
  for (const [field, values] of Object.entries(LOOKS)) if (values.includes(kept[field])) look[field] = kept[field];
  for (const field of SWITCHES) if (typeof kept[field] === "boolean") look[field] = kept[field];
  useLook();
};

// Sound: a piece that is put on wood is a short noise with a low tone. Made here, so that nothing is loaded.
let audio = null;
const LENGTH = 0.09;
const noise = (context) => {
  const buffer = context.createBuffer(1, context.sampleRate * LENGTH, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * Math.exp(-38 * at / samples.length);
  return Object.assign(context.createBufferSource(), { buffer });
};
const clack = () => {
  if (!look.sound) return;
  try {
    audio ??= new AudioContext();
    const volume = new GainNode(audio, { gain: 0.5 });
    const body = new OscillatorNode(audio, { type: "sine", frequency: 320 });
    const tone = new GainNode(audio, { gain: 0.16 });
    tone.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + LENGTH);
    const knock = noise(audio);
    knock.connect(new BiquadFilterNode(audio, { type: "bandpass", frequency: 1700, Q: 0.9 })).connect(volume);
    body.connect(tone).connect(volume).connect(audio.destination);
    knock.start();
    body.start();
    body.stop(audio.currentTime + LENGTH);
  } catch { /* There is no device to hear it. */ }
};
motion.onMove = () => { if (!lines.peeked) clack(); };

const say = (words) => {
  if (!look.voice || !("speechSynthesis" in window)) return;
  speechSynthesis.cancel();
  speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(words), { lang: language === "ja" ? "ja-JP" : "en-US", rate: 1.1 }));
};
// The seconds of byoyomi that are said, as they run out.
const SAID = [30, 20, 10, 5, 4, 3, 2, 1];
let lastSaid = null;
const sayByoyomi = ({ main, byoyomi }) => {
  const seconds = main > 0 ? null : Math.ceil(byoyomi / 1000);
  if (seconds === lastSaid) return;
  lastSaid = seconds;
  if (SAID.includes(seconds)) say(seconds >= 10 ? text("secondsLeft", seconds) : String(seconds));
};

// The choices close at a press elsewhere, and at Escape.
const closeLook = () => { byId("look").open = false; };
document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#look")) closeLook(); });
byId("look").addEventListener("keydown", (event) => { if (event.key === "Escape") { closeLook(); byId("look").querySelector("summary").focus(); } });
for (const field of Object.keys(LOOKS)) byId(`look-${field}`).addEventListener("change", (event) => changeLook(field, event.target.value));
for (const field of SWITCHES) byId(`look-${field}`).addEventListener("change", (event) => changeLook(field, event.target.checked));
