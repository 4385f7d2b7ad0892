#!/usr/bin/env python3
"""Games of kiki-csa against itself on the real shogi-server, on the loopback address, and a comparison of all records.

The server is started in a scratch folder; each game is a pair of clients. Afterwards the server's record of every game is compared with
those of both clients: moves, seconds, result. Fails if a game has no result, if a client lost by its own fault (time, illegal move, false
declaration, a connection that was closed), or if records differ. Nothing of Kiki's own code reads the records.
"""
import argparse, collections, datetime, json, os, pathlib, re, signal, socket, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor

# Name of the game, options of both engines, ponder of both clients, margin in milliseconds.
PLANS = [
    ('sudden-5-0', {}, ('off', 'off'), 300),
    ('byoyomi-0-1', {}, ('off', 'on'), 300),
    ('fischer-5-1F', {}, ('on', 'on'), 300),
    ('both-3-1', {'Threads': 2}, ('off', 'off'), 300),
    ('sudden-5-0', {'Threads': 2}, ('on', 'early'), 300),
    ('fischer-3-1F', {}, ('early', 'early'), 300),
    ('byoyomi-0-2', {'Threads': 2}, ('early', 'on'), 300),
    ('paired-300-10F', {'NodesLimit': 100000}, ('on', 'off'), 500),
    ('stopwatch-60-020', {'NodesLimit': 100000}, ('off', 'off'), 500),
    ('sudden-10-0', {}, ('early', 'off'), 300),
    # A game that goes on from moves that somebody has left with the server.
    ('buoy_x-10-0', {}, ('on', 'off'), 300),
]
BUOY = '+7776FU-3334FU+2726FU-8384FU'
MOVE = re.compile(r'^([+-]\d{4}[A-Z]{2})(?:,T(\d+))?$')
FAULTS = {'time up', 'illegal move', 'illegal kachi', 'abnormal', 'uchifuzume', 'oute_kaihimore', 'outori'}


def parse(text):
    """Moves with their seconds, and who won, from a record of the server or of a client."""
    moves, names, cause, outcome = [], {}, None, None
    for line in text.splitlines():
        move = MOVE.match(line)
        if move:
            moves.append([move[1], None])
        elif re.match(r'^T\d+$', line):
            moves[-1][1] = int(line[1:])
        elif line[:2] in ('N+', 'N-'):
            names[line[1]] = line[2:]
        elif line.startswith("'summary:"):
            cause, *results = line[9:].split(':')
            outcome = {result.rsplit(' ', 1)[0]: result.rsplit(' ', 1)[1] for result in results}
            outcome = {'win': 'black-wins', 'lose': 'white-wins', 'draw': 'draw'}[outcome[names['+']]]
        elif line.startswith("'*result "):
            outcome, cause = line[9:].split(':')[0].split(' ')[:2]
    return {'moves': moves, 'names': names, 'cause': cause, 'outcome': outcome}


class Server:
    """The real server in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        folder.joinpath('players').mkdir()
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.start()

    def start(self):
        path, folder, log = self.path, self.folder, open(self.folder / 'output', 'a')
        # Floodgate pairs its players at set times only: at every one of the next minutes.
        now = datetime.datetime.now()
        times = [now + datetime.timedelta(minutes=minute) for minute in range(1, 600)]
        folder.joinpath('floodgate-300-10F.conf').write_text(''.join(time.strftime('%a %H:%M\n') for time in times))
        self.process = subprocess.Popen(
            ['ruby', str(path / 'shogi-server'), '--daemon', str(folder), '--pid-file', str(folder / 'pid'), '--max-moves', '256',
             '--least-time-per-move', '0', '--player-log-dir', str(folder / 'players'), '--floodgate-games', 'floodgate-300-10F',
             'test', str(self.port)], stdout=log, stderr=log)
        deadline = time.time() + 30
        while not folder.joinpath('pid').exists() or not folder.joinpath('pid').read_text().strip():
            assert time.time() < deadline, 'the server does not start'
            time.sleep(0.05)
        self.pid = int(folder.joinpath('pid').read_text())
        while True:
            try:
                socket.create_connection(('127.0.0.1', self.port), 1).close()
                return
            except OSError:
                assert time.time() < deadline, 'the server does not answer'
                time.sleep(0.05)

    def stop(self):
        try:
            os.kill(self.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass

    def set_buoy(self, game):
        with socket.create_connection(('127.0.0.1', self.port), 10) as visitor:
            lines = visitor.makefile('rw', newline='\n')
            lines.write(f'LOGIN setter secret x1\n%%SETBUOY {game} {BUOY} 1\n')
            lines.flush()
            while '[SETBUOY] +OK' not in (line := lines.readline()):
                assert line and 'ERROR' not in line, line
            lines.write('LOGOUT\n')
            lines.flush()

    def restart(self):
        """Ends the server with all connections, and starts it again a few seconds later."""
        os.kill(self.pid, signal.SIGKILL)
        self.folder.joinpath('pid').unlink()
        time.sleep(3)
        self.start()

    def records(self):
        return [parse(path.read_text(encoding='euc-jp', errors='replace')) | {'name': path.name}
                for path in self.folder.glob('2*/*/*/*.csa')]


def client(arguments, server, folder, name, plan, ponder):
    game, options, _, margin = plan
    settings = folder / f'{name}.toml'
    options = {'Threads': 1, 'USI_Hash': 64, 'ResignValue': arguments.resign} | options
    secret = '' if not game.startswith('floodgate') else f'password = "secret-{name}"\n'
    settings.write_text(
        f'[server]\nhost = "127.0.0.1"\nport = {server.port}\nname = "{name}"\ngame = "{game}"\n{secret}'
        f'reconnect_after = 1\n[engine]\ncommand = "{arguments.engine}"\n'
        f'options = {{ {", ".join(f"{key} = {value}" for key, value in options.items())} }}\n'
        f'[play]\ngames = {2 if arguments.restart else 1}\nmargin = {margin}\nponder = "{ponder}"\n'
        f'[records]\ndirectory = "{folder / name}"\n[log]\nfile = "{folder / name}.log"\n')
    return subprocess.Popen([arguments.client, settings, '--quiet'], stderr=open(folder / f'{name}.err', 'w'))


def play(arguments, server, folder, number):
    """Plays one game; the problems that it showed."""
    plan = ('floodgate-300-10F', {'NodesLimit': 100000}, ('on', 'on'), 500) if arguments.floodgate else \
        arguments.plan or PLANS[(number + arguments.first) % len(PLANS)]
    # Pairs that play at the same time must not meet each other.
    tag, parts = f'g{number}', plan[0].split('-', 1)
    plan = plan if arguments.floodgate else (f'{parts[0]}{tag}-{parts[1]}', *plan[1:])
    if plan[0].startswith('buoy_'):
        server.set_buoy(plan[0])
    names = [f'{tag}-a', f'{tag}-b']
    clients = [client(arguments, server, folder, name, plan, ponder) for name, ponder in zip(names, plan[2])]
    begun, problems = time.time(), []
    if arguments.restart:
        time.sleep(arguments.restart)
        server.restart()
    for name, process in zip(names, clients):
        try:
            code = process.wait(max(1, begun + arguments.limit - time.time()))
            if code:
                problems.append(f'{name} ended with status {code}')
        except subprocess.TimeoutExpired:
            process.kill()
            problems.append(f'{name} did not end in {arguments.limit} s')
    return {'number': number, 'plan': plan, 'names': names, 'seconds': round(time.time() - begun), 'problems': problems,
            'warnings': []}


def compare(arguments, game, folder, records):
    """Adds what the records of a game show."""
    problems = game['problems']
    if arguments.restart:
        # What was broken off has no result; the game after it is compared.
        records = [record for record in records if record['outcome']]
    theirs = [record for record in records if set(record['names'].values()) == set(game['names'])]
    if len(theirs) != 1:
        problems.append(f'the server has {len(theirs)} records')
        return
    theirs = theirs[0]
    game |= {'plies': len(theirs['moves']), 'cause': theirs['cause'], 'outcome': theirs['outcome'],
             'longest': max((time or 0 for _, time in theirs['moves']), default=0)}
    if theirs['outcome'] is None:
        problems.append('the server has no result')
    if theirs['cause'] in FAULTS:
        problems.append(f'lost by {theirs["cause"]}')
    for name in game['names']:
        files = list((folder / name).glob('*.csa'))
        ours = [parse(file.read_text()) for file in files]
        if arguments.restart:
            broken = [record for record in ours if record['outcome'] == 'unknown' and record['moves']]
            ours = [record for record in ours if record not in broken]
            problems.extend([] if len(broken) == 1 else [f'{name} has {len(broken)} records of the game that was broken off'])
        ours = ours[0] if len(ours) == 1 else None
        if ours is None:
            problems.append(f'{name} has {len(files)} records')
        elif ours['moves'] != theirs['moves'] or ours['outcome'] != theirs['outcome'] or ours['names'] != theirs['names']:
            problems.append(f'the record of {name} differs from that of the server')
        if not list((folder / name).glob('*.kif')):
            problems.append(f'{name} has no KIF')
        log = (folder / f'{name}.log').read_text()
        for line in log.splitlines():
            # Warnings tell of engines that had to be hurried, as on a machine with too much to do.
            if re.search(r' (WARN|ERROR) ', line) and not (arguments.restart and re.search(r'connection|refused', line)):
                (problems if ' ERROR ' in line else game['warnings']).append(f'{name}: {line.split(" ", 1)[1].strip()}')
        if 'secret' in log:
            problems.append(f'the log of {name} has the password')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--server', default=os.environ.get('KIKI_SHOGI_SERVER'), help='the folder with shogi-server')
    parser.add_argument('--client', default='target/release/kiki-csa')
    parser.add_argument('--engine', default='target/release/kiki')
    parser.add_argument('--games', type=int, default=len(PLANS))
    parser.add_argument('--first', type=int, default=0, help='the first of the plans')
    parser.add_argument('--jobs', type=int, default=1, help='games at the same time')
    parser.add_argument('--resign', type=int, default=3000, help='ResignValue of the engines')
    parser.add_argument('--limit', type=int, default=1800, help='seconds for a game')
    parser.add_argument('--floodgate', action='store_true', help='by the schedule of floodgate-300-10F')
    parser.add_argument('--restart', type=float, help='kill the server so many seconds after the game has begun, and start it again')
    parser.add_argument('--plan', type=json.loads, help='one plan for all games, as JSON: [game, options, [ponder, ponder], margin]')
    parser.add_argument('--keep', type=pathlib.Path, help='a folder to keep everything in')
    parser.add_argument('--json', type=pathlib.Path, help='add a line for each game to this file')
    arguments = parser.parse_args()
    assert arguments.server, 'name the folder with shogi-server by --server or KIKI_SHOGI_SERVER'
    arguments.client, arguments.engine = os.path.abspath(arguments.client), os.path.abspath(arguments.engine)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or pathlib.Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        folder.joinpath('server').mkdir()
        server = Server(pathlib.Path(arguments.server).absolute(), folder / 'server')
        try:
            with ThreadPoolExecutor(arguments.jobs) as pool:
                games = list(pool.map(lambda number: play(arguments, server, folder, number), range(arguments.games)))
            time.sleep(1)
            records = server.records()
        finally:
            server.stop()
        for game in games:
            compare(arguments, game, folder, records)
            print(game['number'], *game['plan'][:3], game.get('plies'), 'plies,', game.get('cause'), game.get('outcome'),
                  f'{game["seconds"]} s', *game['problems'], *game['warnings'], sep='  ', flush=True)
        if arguments.json:
            with open(arguments.json, 'a') as file:
                file.writelines(json.dumps(game) + '\n' for game in games)
        faulty = sum(bool(game['problems']) for game in games)
        causes = collections.Counter(game.get('cause') for game in games)
        print(f'{len(games)} games, {faulty} with a problem; {dict(causes)}')
        sys.exit(faulty > 0)


if __name__ == '__main__':
    main()
