#!/usr/bin/env python3
"""Memory and nodes a second of several processes of a USI engine that search at once, one thread each, against one process alone. Linux.

Memory is the sum of `Pss` in /proc/PID/smaps_rollup: what several processes share counts once.

usage: processes.py KIKI [--count N ...] [--rounds N] [--seconds S] [--option NAME=VALUE ...]
"""
import argparse
import concurrent.futures
import pathlib
import statistics

from usi import BENCH, Engine, positions


def memory(engine):
    lines = pathlib.Path(f"/proc/{engine.process.pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def search(engine, sfen, milliseconds):
    """Nodes a second of one process."""
    engine.set_up(f"sfen {sfen}")
    words = [words for words in engine.ask(f"go movetime {milliseconds}", "bestmove") if "nps" in words][-1]
    return int(words[words.index("nps") + 1])


def speed(engines, sfen, milliseconds):
    """Nodes a second of all processes together."""
    with concurrent.futures.ThreadPoolExecutor(len(engines)) as pool:
        return sum(pool.map(lambda engine: search(engine, sfen, milliseconds), engines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="KIKI")
    parser.add_argument("--count", type=int, nargs="+", default=[1, 2, 16], help="processes [%(default)s]")
    parser.add_argument("--rounds", type=int, default=5, help="searches, each of another position [%(default)s]")
    parser.add_argument("--seconds", type=float, default=3, help="of a search [%(default)s]")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    milliseconds = round(1000 * arguments.seconds)
    for count in arguments.count:
        engines = [Engine(arguments.program, ["Threads=1", *arguments.option]) for _ in range(count)]
        ratios = []
        for sfen in positions(BENCH, arguments.rounds):
            alone = speed(engines[:1], sfen, milliseconds)
            ratios.append(speed(engines, sfen, milliseconds) / alone)
        print(
            f"{count} processes: {sum(map(memory, engines)):.0f} MiB, {statistics.median(ratios):.2f} times the nodes of one"
            f" [{min(ratios):.2f}, {max(ratios):.2f}]"
        )
        for engine in engines:
            engine.quit()


if __name__ == "__main__":
    main()
