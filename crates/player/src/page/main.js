// The controls of the page.
const drawAll = () => { drawLabels(); drawHeader(); drawProgress(); drawFindings(); drawNumbers(); drawRating(); drawAbout(); draw(); fitBoard(); };

const KEYS = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Escape: () => showLine(null), f: () => { state.turned = !state.turned; draw(); } };
onKeys(() => KEYS);
for (const [id, key] of Object.entries({ back: "ArrowLeft", forward: "ArrowRight", flip: "f" })) byId(id).addEventListener("click", KEYS[key]);

addEventListener("hashchange", () => { language = languageOfAddress(); drawAll(); });
keepBoardFitted();
language = languageOfAddress();
startHeading(drawAll);
drawAll();
