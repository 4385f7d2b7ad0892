// All own games as one file, and games of a file as own ones.
const SEPARATORS = { kifu: "\n", csa: "/\n" };
const LINES = "jsonl";
const daily = () => dateText(new Date()).slice(0, 10).replaceAll("/", "-");

let isBusy = false;
const inBusyTime = (work) => async (...words) => {
  if (isBusy) return;
  isBusy = true;
  try { await work(...words); } catch (error) { sayOwn(whyFailed(error)); } finally { isBusy = false; }
};
const whyFailed = (error) => (error instanceof DOMException ? text("storeFailed", isFull(error) ? text("fullStore") : String(error)) : error.message);

// JSON has what the browser keeps, a line for each game. The server writes the other forms game by
// game.
const exportGames = inBusyTime(async (extension) => {
  const entries = await inStore("readonly", (at) => at.all("games"));
  entries.sort((a, b) => (a.time < b.time ? -1 : 1));
  if (!entries.length) return sayOwn(text("noGames"));
  const [parts, lost] = [[], new Set()];
  let unwritten = 0;
  for (const [at, { id }] of entries.entries()) {
    const found = await inStore("readonly", (store) => store.get("records", id));
    const reply = found && (extension === LINES ? null : await replyOf({ ask: "write", extension, record: found.record }));
    if (!found || reply?.is === "error") { unwritten += 1; continue; }
    if (extension === LINES) { parts.push(`${JSON.stringify(found.record)}\n`); continue; }
    if (parts.length) parts.push(SEPARATORS[extension]);
    parts.push(bytesOf(reply.bytes));
    for (const part of reply.lost) lost.add(part);
    if (at % 20 === 0) sayOwn(text("exporting", at, entries.length));
  }
  const name = `kiki-games-${daily()}.${extension}`;
  saveFile(name, parts);
  sayOwn([text("exported", name, entries.length - unwritten), lostText([...lost]), unwritten ? text("unwritten", unwritten) : ""].filter(Boolean).join(text("stop")));
});

// A file in portions of whole games, as the server takes them: { letters, line: the number of lines
// before }.
const PORTION_BYTES = 1 << 20;
const portionsOf = (letters) => {
  const portions = [{ letters: "", line: 0 }];
  let line = 0;
  for (const part of letters.split(/^(?=#KIF|#KI2|\/\r?$|\{|startpos|sfen |position )/m)) {
    if (portions.at(-1).letters.length + part.length > PORTION_BYTES && portions.at(-1).letters) portions.push({ letters: "", line });
    portions.at(-1).letters += part;
    line += part.split("\n").length - 1;
  }
  return portions;
};
const lettersOf = (bytes) => {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return letters;
};
const isOwnLine = (line) => { try { const found = JSON.parse(line); return typeof found.start === "string" && Array.isArray(found.moves) ? found : null; } catch { return null; } };
// The games of a line in the form of the page; the server checks it.
const readLine = async (line, number) => {
  const record = isOwnLine(line);
  const reply = record ? await replyOf({ ask: "write", extension: "usi", record }) : { is: "error", text: "", reason: "json", parts: [] };
  return reply.is === "error" ? { records: [], refused: [{ ...reply, line: number }] } : { records: [slim(record)], refused: [] };
};
// Adds those that are not there yet. Returns how many.
const addGames = (records, known) => inStore("readwrite", async (at) => {
  let added = 0;
  for (const record of records) {
    const entry = entryOf(crypto.randomUUID(), 1, record);
    if (await isThere(at, known, entry, record)) continue;
    await putGame(at, entry.id, 1, slim(record));
    addKey(known, entry);
    added += 1;
  }
  return added;
});
// A refusal with the line of the file, not of its portion.
const atLine = (refusal, line) => ({ ...refusal, line, text: refusal.text.replace(/^line \d+/, `line ${line}`) });
const MOST_REFUSED = 3;
const STEP = 100;
const importGames = inBusyTime(async (file) => {
  const refused = [];
  let [added, there, waiting, failed] = [0, 0, [], ""];
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const known = (await inStore("readonly", (at) => at.all("games"))).reduce(addKey, new Map());
    const take = async (least) => {
      if (waiting.length < least) return;
      const count = await addGames(waiting, known);
      [added, there, waiting] = [added + count, there + waiting.length - count, []];
      sayOwn(text("importing", added));
    };
    const utf8 = new TextDecoder().decode(bytes);
    const isOwn = isOwnLine(utf8.split("\n", 1)[0]);
    const portions = isOwn ? utf8.split("\n").map((letters, line) => ({ letters, line })).filter(({ letters }) => letters.trim()) : portionsOf(lettersOf(bytes));
    for (const { letters, line } of portions) {
      const found = isOwn ? await readLine(letters, line + 1) : await replyOf({ ask: "read", name: file.name, bytes: letters });
      refused.push(...found.refused.map((refusal) => (isOwn || !refusal.line ? refusal : atLine(refusal, refusal.line + line))));
      waiting.push(...found.records);
      await take(STEP);
    }
    await take(1);
  } catch (error) { failed = whyFailed(error); }
  showError("");
  sayOwn([text("imported", added), there ? text("alreadyKept", there) : "", refused.length ? text("unreadable", refused.length, refused.slice(0, MOST_REFUSED).map(refusalText).join(" / ")) : "", failed].filter(Boolean).join(text("stop")));
  tellOwn();
});
document.querySelectorAll("[data-export]").forEach((node) => node.addEventListener("click", () => exportGames(node.dataset.export)));
