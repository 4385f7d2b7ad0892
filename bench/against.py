#!/usr/bin/env python3
"""Nodes a second of Kiki and of another USI engine over the bench positions, the same time for each, one thread, in turns.

usage: against.py KIKI RIVAL [NAME=VALUE ...]        the options are the rival's, e.g. UCI_Variant=shogi Hash=64
"""
import pathlib
import subprocess
import sys
import time

MOVETIME = 300  # milliseconds a position
ROUNDS = 3


class Engine:
    def __init__(self, command, options):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("usi", "usiok")
        for option in options:
            name, value = option.split("=", 1)
            self.say(f"setoption name {name} value {value}")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, answer):
        """The lines up to the one that begins with `answer`."""
        self.say(line)
        heard = []
        while True:
            text = self.process.stdout.readline()
            if not text:
                sys.exit(f"no `{answer}` after `{line}`")
            heard.append(text.split())
            if text.startswith(answer):
                return heard

    def nodes_per_second(self, sfens):
        nodes = seconds = 0
        for sfen in sfens:
            self.ask("isready", "readyok")
            self.say("usinewgame")
            self.say(f"position sfen {sfen}")
            start = time.perf_counter()
            heard = self.ask(f"go movetime {MOVETIME}", "bestmove")
            seconds += time.perf_counter() - start
            counts = [int(words[words.index("nodes") + 1]) for words in heard if "nodes" in words]
            nodes += counts[-1]
        return nodes / seconds


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lines = pathlib.Path(__file__).with_name("positions.sfen").read_text().splitlines()
    sfens = [line for line in lines if line and not line.startswith("#")]
    kiki = Engine(sys.argv[1], ["Threads=1", "USI_Hash=64"])
    rival = Engine(sys.argv[2], ["Threads=1", *sys.argv[3:]])
    for _ in range(ROUNDS):
        ours, theirs = kiki.nodes_per_second(sfens), rival.nodes_per_second(sfens)
        print(f"{ours / 1e3:.0f} against {theirs / 1e3:.0f} thousand nodes/s: {ours / theirs:.2f} times", flush=True)


if __name__ == "__main__":
    main()
