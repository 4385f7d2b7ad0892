#!/usr/bin/env python3
"""How long a USI engine takes from its start to `readyok`, and from `stop` to `bestmove` with several thread counts. Needs Linux.

usage: latency.py KIKI [THREADS ...]        thread counts, by default 2 64 1024
"""
import pathlib
import re
import statistics
import sys
import time

from usi import Engine

STARTS = 20
STOPS = 6


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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = sys.argv[1]
    times, resident = zip(*(start(command) for _ in range(STARTS)))
    print(f"start to readyok: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms, "
          f"{statistics.median(resident):.1f} MiB resident")
    for threads in sys.argv[2:] or ["2", "64", "1024"]:
        taken = " ".join(f"{milliseconds:.1f}" for milliseconds in stops(command, threads))
        print(f"stop to bestmove with {threads} threads: {taken} ms", flush=True)


if __name__ == "__main__":
    main()
