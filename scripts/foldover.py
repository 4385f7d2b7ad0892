#!/usr/bin/env python3
"""What is each of up to 31 changes of an engine's options worth? Every game says something of every change.

The rows of a Hadamard matrix give each change a sign. In a row's match one side has the changes with a plus, the other side those with
a minus. Over all rows every pair of changes stands on one side as often as on two, and what changes do only in pairs cancels (a foldover
design, Box and Hunter 1961). So N games tell the worth of every change as well as N games of that change alone.

example:
  scripts/foldover.py --engine 'cmd=target/release/kiki option.Threads=1 option.USI_Hash=64 nodes=60000' --games 40 \\
      --openings tests/fixtures/openings.sfen --output results/foldover 'window=window_width:10' 'null=null_base:4,null_divisor:4'

A change is NAME=OPTION:VALUE[,OPTION:VALUE]..; the numbers of the search are options of an engine built with `--features tune`. Rows
that are complete in the output folder are not played again: the same command goes on after a break.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

ELO = 400 / math.log(10)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", nargs="+", metavar="NAME=OPTION:VALUE", help="a change")
    parser.add_argument("--engine", required=True, help="words of `kiki-lab match` for both sides")
    parser.add_argument("--lab", default="target/release/kiki-lab", help="the laboratory's program")
    parser.add_argument("--games", default="40", help="games of a row, an even number")
    parser.add_argument("--openings", required=True, help="file of openings")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="folder for the matches")
    parser.add_argument("--concurrency", default="2", help="games at the same time")
    return parser.parse_args()


def plus(row, column):
    """The sign of an element of Sylvester's Hadamard matrix."""
    return (row & column).bit_count() % 2 == 0


def play(settings, row, sides):
    """Won, drawn and lost games of the side with the plus signs; played now unless the folder has them."""
    result = settings.output / f"row-{row}.json"
    if not result.exists():
        folder = settings.output / f"row-{row}"
        engines = [word for name, options in zip("+-", sides) for word in ("--engine", " ".join([f"name={name}", *options]))]
        command = ["match", *engines, "--each", settings.engine, "--games", settings.games, "--openings", settings.openings]
        rules = ["--order", "random", "--seed", str(row), "--resign", "moves=4 score=1500", "--concurrency", settings.concurrency]
        begin = ["resume", folder] if folder.exists() else [*command, *rules, "--output", folder]
        done = subprocess.run([settings.lab, *begin, "--json"], stdout=subprocess.PIPE, text=True, check=True)
        beside = result.with_suffix(".new")
        beside.write_text(done.stdout)
        beside.replace(result)
    pairing = json.loads(result.read_text())["pairings"][0]
    return pairing["wins"], pairing["draws"], pairing["losses"]


def report(names, played):
    """Elo by the slope of the logistic curve at even strength: too little where rows are lopsided."""
    games = sum(map(sum, played.values()))
    mean_square = sum(wins + losses for wins, _, losses in played.values()) / games
    error = 2 * ELO * (mean_square / games) ** 0.5
    print(f"\n{games} games, Elo of each change (standard error {error:.1f})")
    worth = {
        name: 2 * ELO / games * sum((wins - losses) * (1 if plus(row, column) else -1) for row, (wins, _, losses) in played.items())
        for column, name in enumerate(names, 1)
    }
    for name, elo in sorted(worth.items(), key=lambda pair: -pair[1]):
        print(f"{name:<24} {elo:+7.1f}")


def main():
    settings = arguments()
    changes = dict(change.split("=", 1) for change in settings.changes)
    rows = max(2, 1 << len(changes).bit_length())
    settings.output.mkdir(parents=True, exist_ok=True)
    design, kept = json.dumps([changes, settings.engine, settings.games, settings.openings]), settings.output / "design.json"
    if kept.exists() and kept.read_text() != design:
        sys.exit(f"{settings.output} holds another design")
    kept.write_text(design)
    played = {}
    for row in range(rows):
        sides = [[], []]
        for column, words in enumerate(changes.values(), 1):
            options = (f"option.{word.replace(':', '=', 1)}" for word in words.split(","))
            sides[0 if plus(row, column) else 1].extend(options)
        played[row] = play(settings, row, sides)
        print(f"row {row + 1} of {rows}: +{played[row][0]} ={played[row][1]} -{played[row][2]}", flush=True)
    report(list(changes), played)


if __name__ == "__main__":
    main()
