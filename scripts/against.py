#!/usr/bin/env python3
"""Nodes a second of USI engines, one thread, in turns at each position.

The words of an engine are those of `kiki-lab match`: name, cmd, option.NAME. Each is compared with the first one: the median of the ratios
of all searches, and the quarter and three quarters of them. Name the first engine twice to see what its place in the turn is worth.

example:
  scripts/against.py 'name=kiki cmd=target/release/kiki option.USI_Hash=64' \\
      'name=fairy cmd=/usr/games/fairy-stockfish option.UCI_Variant=shogi option.Hash=64'
"""
import argparse
import statistics
import time

from usi import BENCH, Contestant, Engine, positions


def nodes_per_second(engine, limit, sfen):
    engine.set_up(f"sfen {sfen}")
    start = time.perf_counter()
    heard = engine.ask(f"go {limit}", "bestmove")
    seconds = time.perf_counter() - start
    counts = [int(words[words.index("nodes") + 1]) for words in heard if "nodes" in words]
    return counts[-1] / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    parser.add_argument("--limit", default="movetime 300", help="of a search, as in `go` [%(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="searches of each position [%(default)s]")
    parser.add_argument("--positions", default=BENCH, metavar="FILE", help="SFENs, one a line [those of bench]")
    parser.add_argument("--count", type=int, metavar="N", help="only the first N of them")
    arguments = parser.parse_args()
    sfens = positions(arguments.positions, arguments.count)
    contestants = [Contestant(words, []) for words in arguments.engines]
    engines = [Engine(one.command, ["Threads=1", *one.options]) for one in contestants]
    speeds = [
        [nodes_per_second(engine, arguments.limit, sfen) for engine in engines]
        for _ in range(arguments.rounds)
        for sfen in sfens
    ]
    for index, one in enumerate(contestants):
        own = statistics.median(row[index] for row in speeds) / 1e3
        low, middle, high = statistics.quantiles((row[index] / row[0] for row in speeds), n=4)
        print(f"{one.name}: {own:.0f} thousand nodes/s, {middle:.3f} times [{low:.3f}, {high:.3f}]")
    for engine in engines:
        engine.quit()


if __name__ == "__main__":
    main()
