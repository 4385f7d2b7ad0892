#!/usr/bin/env node
// Reads annotated records of `kiki-lab analyze --to` by the libraries of ShogiHome (tsshogi) and of programs for the web (json-kifu-format).
//
// usage: annotated.mjs MODULES REPORT.json RECORD
//
// MODULES is the folder that has node_modules. Fails if a reader finds other moves than the report has, no value at a move, or not every candidate
// as a variation (CSA has none).
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, reportFile, recordFile] = process.argv.slice(2);
const require = createRequire(`${resolve(modules)}/`);
const { Move, importCSA, importJKFString, importKIF } = require("tsshogi");
const { JKFPlayer } = require("json-kifu-format");
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const text = readFileSync(recordFile, "utf8");
const form = recordFile.split(".").pop();
const value = form === "csa" ? /^\*+ -?\d+/m : /評価値=-?\d+/;
// First moves beside the played one, by the number of moves before: those of the engine and of the record.
const beside = report.positions.slice(0, -1).map((position) => {
  const candidates = position.searches[0].lines.map((line) => line.move);
  const moves = [...candidates, ...position.variations.map((variation) => variation.moves[0])];
  return new Set(form === "csa" ? [] : moves.filter((move) => move !== position.played.move));
});

const byTsshogi = () => {
  const record = { kif: importKIF, csa: importCSA, jkf: importJKFString }[form](text);
  assert(!(record instanceof Error), `tsshogi: ${record}`);
  const moves = [];
  for (let node = record.first.next; node; node = node.next) {
    if (!(node.move instanceof Move)) break;
    const others = new Set();
    for (let other = node.branch; other; other = other.branch) if (other.move instanceof Move) others.add(other.move.usi);
    moves.push({ usi: node.move.usi, comment: node.comment, others });
  }
  return moves;
};

const SQUARES = "abcdefghi";
const LETTERS = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
const usi = ({ from, to, piece, promote }) => {
  const name = (place) => `${place.x}${SQUARES[place.y - 1]}`;
  return from ? `${name(from)}${name(to)}${promote ? "+" : ""}` : `${LETTERS[piece]}*${name(to)}`;
};
const byJkf = () => {
  const player = { kif: JKFPlayer.parseKIF, csa: JKFPlayer.parseCSA, jkf: JKFPlayer.parseJKF }[form](text);
  return player.kifu.moves.filter(({ move }) => move).map(({ move, comments, forks }) => ({
    usi: usi(move), comment: (comments ?? []).join("\n"), others: new Set((forks ?? []).filter(([first]) => first.move).map(([first]) => usi(first.move))),
  }));
};

for (const [reader, read] of Object.entries({ tsshogi: byTsshogi, "json-kifu-format": byJkf })) {
  const moves = read();
  assert.deepStrictEqual(moves.map((move) => move.usi), report.game.moves, reader);
  for (const [ply, { comment, others }] of moves.entries()) {
    assert.match(comment, value, `${reader}, move ${ply + 1}`);
    for (const move of beside[ply]) assert(others.has(move), `${reader}, move ${ply + 1}: no variation with ${move}`);
  }
  console.log(`${recordFile}: ${reader} reads ${moves.length} moves with values, ${beside.reduce((sum, moves) => sum + moves.size, 0)} variations`);
}
