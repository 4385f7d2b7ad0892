#!/usr/bin/env python3
"""Measures the laboratory's own share of the CPU time while it plays fast games. Needs Linux.

usage: overhead.py KIKI-LAB KIKI [GAMES]
"""
import os
import subprocess
import sys
import tempfile
import time

lab, kiki = sys.argv[1:3]
games = sys.argv[3] if len(sys.argv) > 3 else "400"
here = os.path.dirname(os.path.abspath(__file__))
openings = os.path.join(here, "../tests/fixtures/openings.sfen")


def stat(process):
    """Parent and seconds of CPU time of a process."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as folder:
    engines = [word for name in "ab" for word in ("--engine", f"name={name} cmd={kiki}")]
    match = subprocess.Popen(
        [lab, "match", *engines, "--each", "nodes=1000 option.Threads=1 option.USI_Hash=16", "--openings", openings,
         "--games", games, "--concurrency", "2", "--output", os.path.join(folder, "match")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    own, children = 0.0, {}
    while match.poll() is None:
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                parent, seconds = stat(process)
            except OSError:
                continue
            if int(process) == match.pid:
                own = seconds
            elif parent == match.pid:
                children[process] = seconds
        time.sleep(0.1)
    assert match.returncode == 0, "the match failed"
    engines = sum(children.values())
    print(f"laboratory {own:.2f} s, engines {engines:.2f} s: {100 * own / (own + engines):.1f} %")
