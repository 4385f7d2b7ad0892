// The heading of a report: the language, and how moves are written. The browser keeps the latter.
const languageOfAddress = () => {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("lang") || (navigator.language || "ja").slice(0, 2);
  return wanted in TEXTS ? wanted : "en";
};
const nameLanguage = () => { try { history.replaceState(null, "", `#lang=${language}`); } catch { /* Some browsers refuse it for files. */ } };
// `redraw` draws the page, and `remember` names the language in the address.
const startHeading = (redraw, remember = nameLanguage) => {
  const choice = byId("notation");
  try { choice.value = localStorage.getItem("notation"); } catch { /* As on the first visit. */ }
  if (!choice.value) choice.value = "auto";
  const choose = () => { notation = choice.value === "auto" ? null : choice.value; };
  choose();
  choice.addEventListener("change", () => {
    choose();
    try { localStorage.setItem("notation", choice.value); } catch { /* The next visit follows the language. */ }
    redraw();
  });
  document.querySelectorAll("[data-lang]").forEach((node) => node.addEventListener("click", () => { language = node.dataset.lang; remember(); redraw(); }));
};
