"""A USI engine as a child process, for the scripts beside this file."""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import threading

BENCH = pathlib.Path(__file__).parent.parent / "bench/positions.sfen"
MATE = 30_000  # centipawns


class Engine:
    def __init__(self, command, options):
        self.process = subprocess.Popen(
            command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        declared = {words[2] for words in self.ask("usi", "usiok") if words[:2] == ["option", "name"]}
        for option in options:
            name, value = option.split("=", 1)
            if name not in declared:
                sys.exit(f"`{command}` has no option `{name}`")
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


class Contestant:
    """An engine by the words of `kiki-lab match`: name, cmd, option.NAME, and one of `limits`."""

    def __init__(self, words, limits):
        fields = dict(word.split("=", 1) for word in words.split(" ") if not word.startswith("option."))
        self.command = fields["cmd"]
        self.options = [word.removeprefix("option.") for word in words.split(" ") if word.startswith("option.")]
        self.name = fields.get("name", self.command)
        self.limit = next((f"{limit} {fields[limit]}" for limit in limits if limit in fields), None)

    def search_all(self, limit, questions, concurrency):
        """What it says to each position, in their order; every position is a new game."""
        local = threading.local()
        engines = [Engine(self.command, self.options) for _ in range(min(concurrency, len(questions)))]
        free = list(engines)

        def look(question):
            if not hasattr(local, "engine"):
                local.engine = free.pop()
            local.engine.set_up(question)
            return local.engine.ask(f"go {limit}", "bestmove")

        with concurrent.futures.ThreadPoolExecutor(concurrency) as pool:
            heard = list(pool.map(look, questions))
        for engine in engines:
            engine.quit()
        return heard


def value(heard):
    """The last value that an engine told, in centipawns; none if it told none."""
    words = next((words for words in reversed(heard) if "score" in words), None)
    if words is None:
        return None
    kind, number = words[words.index("score") + 1 :][:2]
    if kind == "cp":
        return int(number)
    return -MATE if number.startswith("-") else MATE


def positions(path, count):
    """The SFENs of a file: one a line, or the first column."""
    lines = (line.split("\t")[0].strip() for line in pathlib.Path(path).read_text().splitlines())
    return [line for line in lines if line.count("/") == 8][:count]


class Judge:
    """Values of positions by long searches of an engine, kept in a file that serves one engine and number of nodes."""

    def __init__(self, words, nodes, path, concurrency):
        self.engine, self.limit, self.concurrency = Contestant(words, []), f"nodes {nodes}", concurrency
        self.path = pathlib.Path(path)
        self.name = f"{words} {self.limit}"
        kept = json.loads(self.path.read_text()) if self.path.exists() else {"judge": self.name, "values": {}}
        if kept.get("judge") != self.name:
            sys.exit(f"{path} holds the values of another judge: {kept.get('judge')}")
        self.values = kept["values"]

    def learn(self, questions):
        """Searches the positions that are not known yet. Returns their number."""
        new = sorted(set(questions) - self.values.keys())
        self.values |= zip(new, map(value, self.engine.search_all(self.limit, new, self.concurrency)))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps({"judge": self.name, "values": self.values}))
        beside.replace(self.path)
        return len(new)
