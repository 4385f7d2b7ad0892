#!/usr/bin/env python3
"""Measures a USI engine beside busy programs: nodes a second by thread count on one processor, and the delay of its answers on all of
them. Needs Linux.

usage: busy.py KIKI [--threads N ...] [--busy N] [--byoyomi MS] [--moves N]
"""
import argparse
import multiprocessing
import os
import statistics
import time

from usi import Engine

MOVETIME = 3000  # milliseconds
POSITIONS = ["startpos", "startpos moves 7g7f 3c3d", "startpos moves 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b"]


def spin():
    while True:
        pass


def busy_programs(count, processors):
    """Programs that never rest, on these processors."""
    programs = [multiprocessing.Process(target=spin, daemon=True) for _ in range(count)]
    for program in programs:
        program.start()
        os.sched_setaffinity(program.pid, processors)
    return programs


def end(programs):
    for program in programs:
        program.terminate()
        program.join()


def speed(command, threads):
    """Nodes a second, median of some positions."""
    engine = Engine(command, [f"Threads={threads}", "USI_Hash=64"])
    found = []
    for position in POSITIONS:
        engine.set_up(position)
        last = engine.ask(f"go movetime {MOVETIME}", "bestmove")[-2]
        found.append(int(last[last.index("nodes") + 1]) * 1000 / MOVETIME)
    engine.quit()
    return statistics.median(found)


def lateness(command, threads, byoyomi, moves):
    """Milliseconds from `go` to `bestmove`, less the byoyomi, for each move of a game with itself."""
    engine = Engine(command, [f"Threads={threads}", "USI_Hash=64"])
    engine.ask("isready", "readyok")
    line, late = [], []
    for _ in range(moves):
        engine.say("position startpos moves " + " ".join(line))
        begin = time.perf_counter()
        move = engine.ask(f"go btime 0 wtime 0 byoyomi {byoyomi}", "bestmove")[-1][1]
        late.append((time.perf_counter() - begin) * 1000 - byoyomi)
        line = [] if move in ("resign", "win") else [*line, move]
    engine.quit()
    return late


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 16])
    parser.add_argument("--busy", type=int, default=1)
    parser.add_argument("--byoyomi", type=int, default=100)
    parser.add_argument("--moves", type=int, default=300)
    arguments = parser.parse_args()
    everywhere = os.sched_getaffinity(0)
    one = {max(everywhere)}
    os.sched_setaffinity(0, one)  # the engine inherits it
    programs = busy_programs(arguments.busy, one)
    for threads in arguments.threads:
        print(f"one processor, {arguments.busy} busy programs, {threads} threads: "
              f"{speed(arguments.engine, threads):.0f} nodes/second", flush=True)
    end(programs)
    os.sched_setaffinity(0, everywhere)
    programs = busy_programs(arguments.busy + len(everywhere), everywhere)
    for threads in (1, len(everywhere)):
        late = lateness(arguments.engine, threads, arguments.byoyomi, arguments.moves)
        print(f"{len(everywhere)} processors, {len(programs)} busy programs, {threads} threads, byoyomi {arguments.byoyomi}: "
              f"{sum(1 for ms in late if ms > 0)} of {len(late)} answers late, the latest by {max(late):.1f} ms, "
              f"mean time {statistics.mean(late) + arguments.byoyomi:.1f} ms", flush=True)
    end(programs)


if __name__ == "__main__":
    main()
