// The controls of the page.
const drawAll = () => { drawLabels(); drawHeader(); drawProgress(); drawFindings(); drawNumbers(); drawRating(); drawAbout(); draw(); fitBoard(); };

const KEYS = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Escape: () => show({ line: null }), f: () => show({ turned: !state.turned }) };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
for (const [id, key] of Object.entries({ back: "ArrowLeft", forward: "ArrowRight", flip: "f" })) byId(id).addEventListener("click", KEYS[key]);

const languageFromAddress = () => {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("lang") || (navigator.language || "ja").slice(0, 2);
  return wanted in TEXTS ? wanted : "en";
};
document.querySelectorAll("[data-lang]").forEach((node) => node.addEventListener("click", () => {
  language = node.dataset.lang;
  try { history.replaceState(null, "", `#lang=${language}`); } catch { /* Some browsers refuse it for files. */ }
  drawAll();
}));
addEventListener("hashchange", () => { language = languageFromAddress(); drawAll(); });
keepBoardFitted();
language = languageFromAddress();
drawAll();
