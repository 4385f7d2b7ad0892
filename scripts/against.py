#!/usr/bin/env python3
"""Nodes a second of USI engines over the bench positions, the same time for each, one thread, in turns at each position.

usage: against.py ENGINE ENGINE [ENGINE ...]

The words of an engine are those of `kiki-lab match`: name, cmd, option.NAME. Each is compared with the first one: the median of the ratios
of all searches, and the quarter and three quarters of them.

example:
  scripts/against.py 'name=kiki cmd=target/release/kiki option.USI_Hash=64' \\
      'name=fairy cmd=/usr/games/fairy-stockfish option.UCI_Variant=shogi option.Hash=64'
"""
import pathlib
import statistics
import sys
import time

from usi import Contestant, Engine

MOVETIME = 300  # milliseconds a position
ROUNDS = 3


def nodes_per_second(engine, sfen):
    engine.set_up(f"sfen {sfen}")
    start = time.perf_counter()
    heard = engine.ask(f"go movetime {MOVETIME}", "bestmove")
    seconds = time.perf_counter() - start
    counts = [int(words[words.index("nodes") + 1]) for words in heard if "nodes" in words]
    return counts[-1] / seconds


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lines = (pathlib.Path(__file__).parent.parent / "bench/positions.sfen").read_text().splitlines()
    sfens = [line for line in lines if line and not line.startswith("#")]
    contestants = [Contestant(words, []) for words in sys.argv[1:]]
    engines = [Engine(one.command, ["Threads=1", *one.options]) for one in contestants]
    speeds = [[nodes_per_second(engine, sfen) for engine in engines] for _ in range(ROUNDS) for sfen in sfens]
    for index, one in enumerate(contestants):
        own = statistics.median(row[index] for row in speeds) / 1e3
        low, middle, high = statistics.quantiles((row[index] / row[0] for row in speeds), n=4)
        print(f"{one.name}: {own:.0f} thousand nodes/s, {middle:.3f} times [{low:.3f}, {high:.3f}]")
    for engine in engines:
        engine.quit()


if __name__ == "__main__":
    main()
