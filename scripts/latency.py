#!/usr/bin/env python3
"""Measures the time of a USI engine from its start to `readyok`, and from `stop` to `bestmove` with several thread counts, and compares the
speeds of its first and third search. Needs Linux.

usage: latency.py KIKI [THREADS ...]        thread counts, by default 2 64 1024
       latency.py KIKI --stops N [THREADS ...]   only N stops for each thread count, after 5 to 60 ms of search; by default 1 2 8 threads
"""
import argparse
import os
import pathlib
import random
import re
import statistics
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


def stops(command, threads, lengths):
    """Milliseconds from `stop` to `bestmove` of searches of so many seconds, in rising order."""
    engine = Engine(command, [f"Threads={threads}", "USI_Hash=64"])
    engine.set_up(POSITION)
    times = []
    for seconds in lengths:
        engine.say("go infinite")
        time.sleep(seconds)
        begin = time.perf_counter()
        engine.ask("stop", "bestmove")
        times.append((time.perf_counter() - begin) * 1000)
    engine.quit()
    return sorted(times)


def lateness(count):
    """Milliseconds by which this process is woken too late from sleeps of 5 ms, in rising order: what the machine adds to every time."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        time.sleep(0.005)
        times.append((time.perf_counter() - begin) * 1000 - 5)
    return sorted(times)


def spread(times):
    """What such times are, in words."""
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    below = sum(milliseconds < 10 for milliseconds in times)
    return (f"{len(times)}: median {at(0.5):.1f} ms, 99 % {at(0.99):.1f}, 99.9 % {at(0.999):.1f}, longest {times[-1]:.1f}; "
            f"{100 * below / len(times):.2f} % under 10 ms")


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("threads", nargs="*", type=int)
    parser.add_argument("--stops", type=int)
    # Thread counts may stand behind an option.
    arguments = parser.parse_intermixed_args()
    command = arguments.command
    if arguments.stops:
        print(f"sleeps of 5 ms, woken too late, {spread(lateness(arguments.stops))}", flush=True)
        for threads in arguments.threads or [1, 2, 8]:
            lengths = (random.uniform(0.005, 0.06) for _ in range(arguments.stops))
            print(f"stop to bestmove with {threads} threads, {spread(stops(command, threads, lengths))}", flush=True)
        return
    times, resident = zip(*(start(command) for _ in range(STARTS)))
    print(f"start to readyok: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms, "
          f"{statistics.median(resident):.1f} MiB resident")
    processors = len(os.sched_getaffinity(0))
    for threads in sorted({1, processors}):
        for mebibytes in (256, 1024):
            ratios = " ".join(f"{ratio:.2f}" for ratio in first_and_third(command, threads, mebibytes))
            print(f"nodes of the first search over the third, {threads} threads, {mebibytes} MiB: {ratios}", flush=True)
    for threads in arguments.threads or [2, 64, 1024]:
        taken = " ".join(f"{milliseconds:.1f}" for milliseconds in stops(command, threads, [1] * STOPS))
        print(f"stop to bestmove with {threads} threads: {taken} ms", flush=True)


if __name__ == "__main__":
    main()
