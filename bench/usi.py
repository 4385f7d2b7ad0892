"""A USI engine as a child process, for the scripts beside this file."""
import subprocess
import sys


class Engine:
    def __init__(self, command, options):
        self.process = subprocess.Popen(
            command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("usi", "usiok")
        for option in options:
            name, value = option.split("=", 1)
            self.say(f"setoption name {name} value {value}")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, answer):
        """The words of all lines up to the one that begins with `answer`."""
        self.say(line)
        heard = []
        while True:
            text = self.process.stdout.readline()
            if not text:
                sys.exit(f"no `{answer}` after `{line}`")
            heard.append(text.split())
            if text.startswith(answer):
                return heard

    def set_up(self, position):
        """Begins a new game with a position as it stands behind `position` in USI."""
        self.say("usinewgame")
        self.ask("isready", "readyok")
        self.say(f"position {position}")

    def quit(self):
        self.say("quit")
        self.process.wait()
