// Elements of the page.
const byId = (id) => document.getElementById(id);
// A page without a board draws nothing.
const SVG = byId("board")?.namespaceURI;

// Texts become text nodes, so that a name can never be markup.
const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Restores the focus after a redraw. Elements have keys that say what they show; the first key
// found gets the focus, else the board.
const takeFocus = (...keys) => {
  const nodes = keys.map((key) => document.querySelector(`[data-key="${key}"]`));
  [...nodes, document.querySelector("#squares [tabindex='0']"), byId("board")].find((node) => node?.checkVisibility())?.focus({ preventScroll: true });
};
const keepFocus = (drawing, ...otherKeys) => {
  const focused = document.activeElement;
  drawing();
  if (focused && !focused.checkVisibility()) takeFocus(focused.dataset.key, ...otherKeys);
};

// Calls what `keys()` has for a key, but not while the reader types or chooses.
const onKeys = (keys) => document.addEventListener("keydown", (event) => {
  const act = keys()[event.key];
  if (event.ctrlKey || event.altKey || event.metaKey || !act || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  act();
});

// Sets the labels and texts of the body in the current language.
const drawLabels = () => {
  document.documentElement.lang = language;
  document.querySelectorAll("[data-label]").forEach((node) => {
    node.setAttribute("aria-label", text(node.dataset.label));
    if (node.tagName === "BUTTON") node.title = text(node.dataset.label);
  });
  document.querySelectorAll("[data-text]").forEach((node) => { node.textContent = text(node.dataset.text); });
  document.querySelectorAll("[data-lang]").forEach((node) => node.setAttribute("aria-pressed", node.dataset.lang === language));
};

// Fits the board into the screen, below the heading and between players and controls.
const fitBoard = () => {
  const height = (node) => node.getBoundingClientRect().height;
  const [heading, controls] = [document.querySelector("header"), document.querySelector(".controls")];
  const beside = height(byId("far")) + height(byId("near")) + height(controls) + Number.parseFloat(getComputedStyle(controls).marginTop);
  document.documentElement.style.setProperty("--heading", `${Math.ceil(height(heading))}px`);
  document.documentElement.style.setProperty("--beside", `${Math.ceil(beside)}px`);
};
const keepBoardFitted = () => {
  const around = new ResizeObserver(fitBoard);
  document.querySelectorAll("header, .player, .controls").forEach((node) => around.observe(node));
};
