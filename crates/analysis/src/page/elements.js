// Elements of the page, and the report that stands in it.
const report = JSON.parse(document.getElementById("report").textContent);
const byId = (id) => document.getElementById(id);
const SVG = byId("board").namespaceURI;

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

// What is drawn anew takes the focus over: buttons have keys that tell what they show. A line that is left has its move's button.
const lineKey = ({ engine, index, length }) => `line ${engine} ${index} ${length}`;
const takeFocus = (...keys) => {
  const nodes = keys.map((key) => document.querySelector(`[data-key="${key}"]`));
  (nodes.find((node) => node !== null) ?? byId("board")).focus({ preventScroll: true });
};
const keepFocus = (drawing, lineBefore) => {
  const focused = document.activeElement;
  drawing();
  if (focused && !focused.isConnected) takeFocus(focused.dataset.key, ...(lineBefore ? [lineKey(lineBefore)] : []));
};
