#!/usr/bin/env python3
"""Games at clocks from 20 ms a move to 2 s for the game, with 1, 2 and 8 threads, side by side on a loaded machine: no engine may lose on time, by a
crash, or by an illegal move. Shows the share of the given time that was used, and how late the machine itself woke a sleeping program: in all, and during
the search of each move that came too late. After an interruption the same command goes on.

usage: soak.py FOLDER [--games N] [--engine KIKI] [--lab KIKI-LAB] [--concurrency N] [--tolerance MS] [--report]

FOLDER gets a match for each clock and pair of thread counts, and late.jsonl with a line for each move that came too late. N is the approximate number of
games in all; clocks with shorter games get more of them. On a machine that is too busy for any clock a tolerance lets games go on, to look for other
faults.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from latency import spread

# The words of `kiki-lab match`, in milliseconds, and about how many seconds a game takes: every clock gets the same time, so that short games do not
# wait for long ones.
CLOCKS = {"byoyomi=20": 1.5, "byoyomi=100": 10, "time=500 increment=10": 2, "time=1000 byoyomi=50": 7, "time=2000 increment=20": 4.5}
THREADS = [(1, 2), (2, 8), (8, 1)]
ROOT = pathlib.Path(__file__).resolve().parent.parent
# Upper ends of the classes of the histogram, in percent of the time given.
CLASSES = [25, 50, 75, 90, 95, 99, 100]
# What `kiki-lab match` says of a move that came too late, and its units in milliseconds.
TOO_LATE = re.compile(r"lost: answered after ([\d.]+)(\S+), ([\d.]+)(\S+) too late")
UNITS = {"µs": 0.001, "ms": 1, "s": 1000}
# What may pass, in seconds, between a move that came too late and the line that tells of it.
UNTIL_TOLD = 0.3
FAULTS = {"time", "hang", "crash", "illegal-move", "not-ready", "failed-declaration", "forfeit"}


def matches(folder):
    """The folder, clock and thread counts of each match."""
    for clock in CLOCKS:
        for threads in THREADS:
            name = f"{clock}-{threads[0]}-{threads[1]}".replace(" ", "-").replace("=", "")
            yield folder / name, clock, threads


def games_of(clock, games):
    """How many games, an even number, each match by this clock gets of so many for all."""
    share = (1 / CLOCKS[clock]) / sum(1 / seconds for seconds in CLOCKS.values())
    return 2 * math.ceil(games * share / len(THREADS) / 2)


def play(arguments, folder, clock, threads, games, machine):
    """Plays a match or goes on with it; writes what the machine did while moves were searched that came too late."""
    if len(journal(folder)) >= games:
        return
    begun = (folder / "match.json").exists()
    if begun:
        words = ["resume", str(folder), "--games", str(games)]
    else:
        words = ["match", "--each", f"{clock} option.USI_Hash=16", "--games", str(games), "--openings", "tests/fixtures/openings.sfen",
                 "--tolerance", str(arguments.tolerance), "--max-plies", "320", "--resign", "moves=6 score=6000", "--output", str(folder)]
        for number in threads:
            words += ["--engine", f"name={number}-threads cmd={arguments.engine} option.Threads={number}"]
    words += ["--concurrency", str(arguments.concurrency), "--json", "--no-csa"]
    with subprocess.Popen([arguments.lab, *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as match:
        for line in match.stderr:
            sys.stderr.write(line)
            if late := TOO_LATE.search(line):
                took, too_late = (float(late[place]) * UNITS[late[place + 1]] for place in (1, 3))
                entry = {"match": folder.name, "took_ms": took, "too_late_ms": too_late, "machine_ms": machine.latest(took / 1000 + UNTIL_TOLD)}
                with open(folder.parent / "late.jsonl", "a") as file:
                    file.write(json.dumps(entry) + "\n")
    # A match that was interrupted (130) is gone on with by the next call.
    if match.returncode:
        sys.exit(match.returncode)


class Machine:
    """Sleeps 5 ms again and again on each processor, and keeps when it woke and how many milliseconds too late. A virtual machine may be given
    some of its processors and not the others."""

    def __init__(self):
        self.wakes = []
        for processor in os.sched_getaffinity(0):
            threading.Thread(target=self.sleep, args=[processor], daemon=True).start()

    def sleep(self, processor):
        os.sched_setaffinity(0, [processor])
        while True:
            begin = time.perf_counter()
            time.sleep(0.005)
            end = time.perf_counter()
            self.wakes.append((end, (end - begin) * 1000 - 5))

    def latest(self, seconds):
        """How late it woke at worst in the last seconds."""
        since = time.perf_counter() - seconds
        recent = itertools.takewhile(lambda wake: wake[0] >= since, reversed(self.wakes))
        return max((late for _, late in recent), default=0)

    def share(self, seconds, least):
        """The share of all spans of so many seconds in which it woke so many milliseconds late or later: what a loss would have by chance."""
        wakes = sorted(self.wakes)
        covered, until = 0, wakes[0][0]
        for end, late in wakes:
            if late >= least:
                covered += end + seconds - max(until, end)
                until = end + seconds
        return covered / (wakes[-1][0] - wakes[0][0])


def limits(clock):
    """Time for the game, increment and byoyomi."""
    words = dict(word.split("=") for word in clock.split())
    return [int(words.get(name, 0)) for name in ("time", "increment", "byoyomi")]


def moves(game, clock):
    """Milliseconds given and used for each move after the opening."""
    main, increment, byoyomi = limits(clock)
    left = [main, main]
    # The moves of the opening have no times.
    for ply, used in enumerate(game["times"], game["opening_plies"]):
        side = ply % 2
        left[side] += increment
        yield left[side] + byoyomi, used
        # Times in journals are whole milliseconds, cut off: half of one is missing on average.
        left[side] = max(0, left[side] - used - 0.5)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def journal(folder):
    return lines_of(folder / "games.jsonl")


def row(name, games):
    """A line of the table: games, moves, the histogram, the least time left, faults."""
    given_and_used = [pair for game, clock in games for pair in moves(game, clock)]
    counts = [0] * (len(CLASSES) + 1)
    for given, used in given_and_used:
        counts[next((index for index, end in enumerate(CLASSES) if 100 * used <= end * given), len(CLASSES))] += 1
    least = round(min((given - used for given, used in given_and_used), default=0))
    lost_on_time = sum(game["reason"] == "time" for game, _ in games)
    faults = sum(game["reason"] in FAULTS or game.get("fault") is not None for game, _ in games)
    cells = [name, len(games), len(given_and_used), *counts, least, lost_on_time, faults - lost_on_time]
    print(" | ".join(["", *map(str, cells), ""]).strip())
    return faults


def report(folder):
    """The table; returns the number of faults."""
    heads = ["clock, threads", "games", "moves", *(f"<= {end} %" for end in CLASSES), "> 100 %", "least ms left", "lost on time", "other faults"]
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    everything = []
    for place, clock, threads in matches(folder):
        games = [(game, clock) for game in journal(place)]
        row(f"{clock}, {threads[0]} against {threads[1]}", games)
        everything += games
    faults = row("all", everything)
    late = lines_of(folder / "late.jsonl")
    stalled = sum(entry["machine_ms"] >= entry["too_late_ms"] for entry in late)
    print(f"{len(late)} moves came too late; while {stalled} of them were searched a program that only slept was woken as late as that, or later")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--engine", default=str(ROOT / "target/release/kiki"))
    parser.add_argument("--lab", default=str(ROOT / "target/release/kiki-lab"))
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--tolerance", type=int, default=0, help="milliseconds beyond its time that a move may take")
    parser.add_argument("--report", action="store_true", help="play nothing, show what was played")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if not arguments.report:
        machine = Machine()
        for place, clock, threads in matches(folder):
            play(arguments, place, clock, threads, games_of(clock, arguments.games), machine)
        print("sleeps of 5 ms, woken too late,", spread(sorted(late for _, late in machine.wakes)))
        print(f"{100 * machine.share(0.4, 10):.1f} percent of all spans of 0.4 s had one that was woken 10 ms late or later")
    if faults := report(folder):
        sys.exit(f"{faults} faults: their games are in the journals, with what the engines said last")


if __name__ == "__main__":
    main()
