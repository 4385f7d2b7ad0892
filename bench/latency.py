#!/usr/bin/env python3
"""How long a USI engine takes from its start to `readyok`, and from `stop` to `bestmove` with several thread counts; and whether its first
search is as quick as its third. Needs Linux.

usage: latency.py KIKI [THREADS ...]        thread counts, by default 2 64 1024
"""
import os
import pathlib
import re
import statistics
import sys
import time

from usi import Engine

STARTS = 20
STOPS = 6
PROCESSES = 5
MOVETIME = 300  # milliseconds
POSITION = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e"


def start(command):
    """Milliseconds to `readyok` with the default options, and resident mebibytes then."""
    begin = time.perf_counter()
    engine = Engine(command, [])
    engine.ask("isready", "readyok")
    took = time.perf_counter() - begin
    status = pathlib.Path(f"/proc/{engine.process.pid}/status").read_text()
    resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
    engine.quit()
    return took * 1000, resident


def stops(command, threads):
    """Milliseconds from `stop` to `bestmove`, in rising order."""
    engine = Engine(command, [f"Threads={threads}", "USI_Hash=64"])
    times = []
    for _ in range(STOPS):
        engine.set_up("startpos")
        engine.say("go infinite")
        time.sleep(1)
        begin = time.perf_counter()
        engine.ask("stop", "bestmove")
        times.append((time.perf_counter() - begin) * 1000)
    engine.quit()
    return sorted(times)


def first_and_third(command, threads, mebibytes):
    """Nodes of the first search of a process over those of the third, by process."""
    ratios = []
    for _ in range(PROCESSES):
        engine = Engine(command, [f"Threads={threads}", f"USI_Hash={mebibytes}"])
        nodes = []
        for _ in range(3):
            # Every search is the first of a game: what an earlier one has learned would make it quicker or slower.
            engine.set_up(POSITION)
            last = engine.ask(f"go movetime {MOVETIME}", "bestmove")[-2]
            nodes.append(int(last[last.index("nodes") + 1]))
        engine.quit()
        ratios.append(nodes[0] / nodes[2])
    return ratios


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = sys.argv[1]
    times, resident = zip(*(start(command) for _ in range(STARTS)))
    print(f"start to readyok: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms, "
          f"{statistics.median(resident):.1f} MiB resident")
    processors = len(os.sched_getaffinity(0))
    for threads in sorted({1, processors}):
        for mebibytes in (256, 1024):
            ratios = " ".join(f"{ratio:.2f}" for ratio in first_and_third(command, threads, mebibytes))
            print(f"nodes of the first search over the third, {threads} threads, {mebibytes} MiB: {ratios}", flush=True)
    for threads in sys.argv[2:] or ["2", "64", "1024"]:
        taken = " ".join(f"{milliseconds:.1f}" for milliseconds in stops(command, threads))
        print(f"stop to bestmove with {threads} threads: {taken} ms", flush=True)


if __name__ == "__main__":
    main()
