#!/usr/bin/env python3
"""Nodes a second of Kiki and of another USI engine over the bench positions, the same time for each, one thread, in turns.

usage: against.py KIKI RIVAL [NAME=VALUE ...]        the options are the rival's, e.g. UCI_Variant=shogi Hash=64
"""
import pathlib
import sys
import time

from usi import Engine

MOVETIME = 300  # milliseconds a position
ROUNDS = 3


def nodes_per_second(engine, sfens):
    nodes = seconds = 0
    for sfen in sfens:
        engine.set_up(f"sfen {sfen}")
        start = time.perf_counter()
        heard = engine.ask(f"go movetime {MOVETIME}", "bestmove")
        seconds += time.perf_counter() - start
        counts = [int(words[words.index("nodes") + 1]) for words in heard if "nodes" in words]
        nodes += counts[-1]
    return nodes / seconds


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lines = (pathlib.Path(__file__).parent.parent / "bench/positions.sfen").read_text().splitlines()
    sfens = [line for line in lines if line and not line.startswith("#")]
    kiki = Engine(sys.argv[1], ["Threads=1", "USI_Hash=64"])
    rival = Engine(sys.argv[2], ["Threads=1", *sys.argv[3:]])
    for _ in range(ROUNDS):
        ours, theirs = nodes_per_second(kiki, sfens), nodes_per_second(rival, sfens)
        print(f"{ours / 1e3:.0f} against {theirs / 1e3:.0f} thousand nodes/s: {ours / theirs:.2f} times", flush=True)


if __name__ == "__main__":
    main()
