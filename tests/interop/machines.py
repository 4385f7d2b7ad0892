#!/usr/bin/env python3
"""Runs over many machines: kiki-lab with a real nats-server on the loopback address.

usage: machines.py FOLDER_OF_PROGRAMS [PART ...]

FOLDER_OF_PROGRAMS has kiki and kiki-lab. Each part compares what workers did with what one machine does, or what is
said to wrong input:
  same      self-play, a match, a sequential test, a tuning, an analysis, a judging
  killed    workers killed every five seconds, the server restarted, the coordinator killed and resumed
  many      fifty workers with tiny tasks: results a second, memory of the coordinator
  speed     two workers against one, in five pairs of runs
  shown     what kiki-lab machines tells, on its page too, and the removal of a run
  secure    TLS, client certificates, nkeys, passwords
  hostile   messages, versions, credentials and URLs that are wrong
  learn     two generations of learning from nothing
"""
import base64, binascii, json, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, threading, time, zlib

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
LAB, KIKI = str(PROGRAMS / 'kiki-lab'), str(PROGRAMS / 'kiki')
ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENINGS = str(ROOT / 'tests/fixtures/openings.sfen')


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


class Server:
    """A nats-server in a folder of its own."""
    def __init__(self, folder, *words):
        self.folder, self.port, self.words, self.process = pathlib.Path(folder), free_port(), words, None
        self.start()

    @property
    def url(self):
        return f'nats://127.0.0.1:{self.port}'

    def start(self):
        log = open(self.folder / 'nats.log', 'a')
        command = ['nats-server', '-js', '-sd', str(self.folder / 'js'), '-a', '127.0.0.1', '-p', str(self.port), *self.words]
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(('127.0.0.1', self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit('nats-server does not start')

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Workers:
    """Workers of one thread each."""
    def __init__(self, server, folder, count, *words):
        self.server, self.folder, self.words = server, pathlib.Path(folder), words
        self.processes = {}
        for number in range(count):
            self.start(number)

    def start(self, number):
        log = open(self.folder / f'worker-{number}.log', 'a')
        command = [LAB, 'worker', '--nats', self.server.url, '--threads', '1', '--name', f'w{number}',
                   '--cache', str(self.folder / 'cache'), *self.words]
        self.processes[number] = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self, number):
        self.processes[number].kill()
        self.processes[number].wait()

    def rest(self):
        """Waits until no worker has an engine."""
        for process in self.processes.values():
            while subprocess.run(['pgrep', '-x', '-P', str(process.pid), 'kiki'], capture_output=True).returncode == 0:
                time.sleep(0.02)

    def stop(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGINT)
        for process in self.processes.values():
            assert process.wait(20) == 0, process.returncode

    def log(self):
        return ''.join(path.read_text() for path in sorted(self.folder.glob('worker-*.log')))


def lab(*words, expected=0, **options):
    done = subprocess.run([LAB, *map(str, words)], capture_output=True, text=True, **options)
    assert done.returncode == expected, (words, done.returncode, done.stdout, done.stderr)
    return done


def journal(folder, name='games.jsonl'):
    """The lines of a journal without what a clock writes."""
    lines = [json.loads(line) for line in open(pathlib.Path(folder) / name)]
    for line in lines:
        for key in ('times', 'started'):
            line.pop(key, None)
        line.get('answer', {}).pop('milliseconds', None)
        for found in [*line.get('answer', {}).get('lines', []), line.get('answer', {}).get('played') or {}]:
            found.pop('milliseconds', None)
    return lines


class Case:
    """A command for one machine and for many, and what of its result must be the same."""
    def __init__(self, name, words, out, same):
        self.name, self.words, self.out, self.same = name, words, out, same

    def run(self, place, *more, **options):
        return lab(*self.words, *self.out(place), *more, **options)


def cases(folder):
    engine = f'cmd={KIKI} option.Threads=1 option.USI_Hash=8'
    pair = ['--engine', 'name=one nodes=2000', '--engine', 'name=other nodes=1500', '--each', engine, '--openings', OPENINGS]
    parameters = folder / 'parameters.toml'
    parameters.write_text('MultiPV = { start = 3, min = 1, max = 8, step = 2 }\nUSI_Hash = { start = 8, min = 1, max = 64, step = 6 }\n')
    records = folder / 'records'
    if not records.exists():
        lab('match', '--engine', 'name=a nodes=200', '--engine', 'name=b nodes=150', '--each', engine, '--openings', OPENINGS, '--games', 12,
            '--max-plies', 60, '--output', folder / 'source')
        shutil.copytree(folder / 'source/csa', records)
    output = lambda place: ('--output', place)
    text = lambda name: lambda place: (pathlib.Path(place) / name).read_bytes()
    return [
        Case('self-play', ['selfplay', '--positions', 9000, '--nodes', 100, '--seed', 5], lambda place: ('--out', f'{place}.games'),
             lambda place: pathlib.Path(f'{place}.games').read_bytes()),
        Case('match', ['match', *pair, '--games', 100], output, journal),
        Case('sprt', ['sprt', *pair, '--elo0', -100, '--elo1', 60], output, journal),
        Case('spsa', ['spsa', '--engine', f'cmd={KIKI} nodes=2000 option.Threads=1', '--parameters', parameters, '--openings', OPENINGS,
                      '--updates', 20, '--ahead', 4], output,
             lambda place: (journal(place, 'updates.jsonl'), text('parameters.toml')(place))),
        Case('analyze', ['analyze', records, '--engine', f'name=kiki {KIKI} nodes=3000 option.Threads=1 option.USI_Hash=8'], output,
             lambda place: journal(place, 'searches.jsonl')),
        Case('judge', ['intrinsic', 'judge', '--games', records, '--depth', 4, '--per-player', 150], lambda place: (place,),
             lambda place: journal(place, 'values.jsonl')),
    ]


def same(folder):
    server = Server(folder)
    workers = Workers(server, folder, 2)
    for case in cases(folder):
        begun = time.time()
        case.run(folder / f'{case.name}-many', '--nats', server.url)
        between = time.time()
        workers.rest()
        assert time.time() - between < 1, (case.name, time.time() - between)
        between = time.time()
        case.run(folder / f'{case.name}-one', *(['--threads', 1] if case.name in ('self-play', 'judge') else []))
        many, one = case.same(folder / f'{case.name}-many'), case.same(folder / f'{case.name}-one')
        assert many == one, case.name
        print(f'{case.name}: two workers in {between - begun:.1f} s, one thread in {time.time() - between:.1f} s, the same result')
    workers.stop()
    server.stop()


def killed(folder):
    server = Server(folder)
    workers = Workers(server, folder, 2)
    for case in [case for case in cases(folder) if case.name in ('self-play', 'match')]:
        words = [str(word) for word in case.words]
        if case.name == 'self-play':
            words[words.index('--positions') + 1] = '400000'
        else:
            words[words.index('--games') + 1] = '300'
        case.words = words
        place, stop = folder / f'{case.name}-many', threading.Event()

        def disturb():
            turn = 0
            while not stop.wait(5):
                workers.kill(turn % 2)
                workers.start(turn % 2)
                turn += 1
                if turn % 4 == 0:
                    server.stop()
                    server.start()

        begun, deaths = time.time(), 0
        thread = threading.Thread(target=disturb)
        thread.start()
        command = [LAB, *words, *map(str, case.out(place)), '--nats', server.url]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        run = f'{place}.games' if case.name == 'self-play' else str(place)
        while True:
            try:
                said = process.communicate(timeout=12)[0]
                if process.returncode == 0:
                    break
                # It may begin while there is no server, or while that gets ready.
                assert process.returncode < 0 or any(words in said for words in ('set aside', 'Connection refused', 'timed out')), said
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            deaths += 1
            assert deaths < 200, case.name
            command = [LAB, 'resume', run, '--nats', server.url]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        stop.set()
        thread.join()
        many = time.time() - begun
        case.run(folder / f'{case.name}-one', *(['--threads', '2'] if case.name == 'self-play' else []))
        assert case.same(place) == case.same(folder / f'{case.name}-one'), case.name
        print(f'{case.name}: {many:.0f} s with workers, server and coordinator ({deaths} times) killed: the same result')
    workers.stop()
    server.stop()


def many(folder):
    server = Server(folder)
    engine = f'cmd={KIKI} option.Threads=1 option.USI_Hash=1 option.Eval=formula'
    lab('match', '--engine', 'name=a nodes=1', '--engine', 'name=b nodes=2', '--each', engine, '--openings', OPENINGS, '--games', 300,
        '--no-csa', '--output', folder / 'source')
    workers = Workers(server, folder, 50)
    while workers.log().count('nodes a second each') < 50:
        time.sleep(0.5)
    command = [LAB, 'intrinsic', 'judge', str(folder / 'tiny'), '--games', str(folder / 'source'), '--depth', '1', '--lines', '2', '--per-player', '100000',
               '--opening-plies', '0', '--table', '1', '--nats', server.url]
    begun = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    memory = 0
    while process.poll() is None:
        try:
            status = open(f'/proc/{process.pid}/status').read()
            memory = max(memory, int(re.search(r'VmHWM:\s+(\d+)', status)[1]))
        except (OSError, TypeError):
            pass
        time.sleep(0.2)
    said = process.stdout.read()
    assert process.returncode == 0, said
    seconds = time.time() - begun
    tasks = sum(int(found) for found in re.findall(r'worker `w\d+`: (\d+) tasks', said))
    print(f'fifty workers: {tasks} results in {seconds:.1f} s, {tasks / seconds:.0f} a second; the coordinator took {memory // 1024} MiB')
    workers.stop()
    server.stop()


def speed(folder):
    server, ratios = Server(folder), []
    words = ['selfplay', '--positions', '30000', '--nodes', '200', '--nats', server.url]
    for turn in range(5):
        seconds = []
        for count in (1, 2):
            workers = Workers(server, folder, count)
            while workers.log().count('nodes a second each') < count:
                time.sleep(0.2)
            place = folder / f'{turn}-{count}.games'
            said = lab(*words, '--out', place, '--seed', turn).stdout
            seconds.append(float(re.search(r'in ([\d.]+) s', said)[1]))
            workers.stop()
            for log in folder.glob('worker-*.log'):
                log.unlink()
        ratios.append(seconds[0] / seconds[1])
    games = int(re.search(r'of (\d+) games', said)[1])
    print(f'two workers do {sorted(ratios)[2]:.2f} times the work of one (median of {[round(ratio, 2) for ratio in ratios]}), {games} games each')
    server.stop()


LEARNING = """
patience = 2
least_elo = 10000.0
[selfplay]
positions = 60000
held_out = 5000
nodes = 100
formula_nodes = 100
[training]
shape = 'HalfKP_vm 64x2-16-16'
batch = 1024
[test]
games = 60
nodes = 500
"""


def generations(folder):
    """What was learned, without times and paths."""
    found = json.load(open(folder / 'learn.json'))['generations']
    for generation in found:
        generation['seconds'] = None
        generation['network']['network']['file'] = None
        for file in [*generation['games']['data'], generation['games']['held_out']]:
            # The note of a file of games has the path of the network.
            file['blake3'] = file['bytes'] = None
    return found


def learn(folder):
    server = Server(folder)
    workers = Workers(server, folder, 2)
    (folder / 'learn.toml').write_text(LEARNING)
    words, seconds = ['learn', '--settings', folder / 'learn.toml', '--threads', 2, '--eager'], []
    for name, more in ('many', ['--nats', server.url]), ('one', []):
        begun = time.time()
        lab(*words, folder / name, *more)
        seconds.append(time.time() - begun)
    many, one = generations(folder / 'many'), generations(folder / 'one')
    assert many == one and len(one) == 2, (many, one)
    many, one = (re.sub(r'\d+ (h|min) \d\d (min|s)', 'TIME', (folder / name / 'learning.html').read_text()) for name in ('many', 'one'))
    assert many == one and one.count('TIME') >= 4 and one.count('<svg') == 2, (many, one)
    print(f'learn: two generations in {seconds[0]:.0f} s with two workers, in {seconds[1]:.0f} s without: the same networks, results and page')
    workers.stop()
    server.stop()


def shown(folder):
    server = Server(folder)
    workers = Workers(server, folder, 2)
    machines = lambda *words, **options: lab('machines', '--nats', server.url, *words, **options)
    run_words = [LAB, 'selfplay', '--positions', '1000000', '--nodes', '100', '--out', str(folder / 'long.games'), '--nats', server.url]
    coordinator = subprocess.Popen(run_words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while workers.log().count('serves') < 2:
        time.sleep(0.1)
    time.sleep(4)
    found = json.loads(machines('--json').stdout)
    [run] = found['runs']
    assert {worker['name'] for worker in found['workers']} == {'w0', 'w1'} == set(run['status']['done_by']), found
    assert run['status']['progress']['scheduled'] == 1000000 and run['status']['progress']['done'] > 1000, run
    assert run['queue']['in_work'] >= 2 and run['queue']['waiting'] > 0, run
    assert 'a process coordinates it' in machines('--remove', run['id'], expected=1).stderr
    page = subprocess.Popen([LAB, 'machines', '--nats', server.url, '--page', str(folder / 'machines.html')])
    time.sleep(9)
    page.send_signal(signal.SIGINT)
    assert page.wait(10) == 0
    text = (folder / 'machines.html').read_text()
    for part in ('w0', 'w1', 'of 1000000 positions', 'self-play in', '<progress', run['id']):
        assert part in text, (part, text)
    coordinator.kill()
    coordinator.wait()
    said = machines().stdout
    assert 'without coordinator' in said and run['id'] in said, said
    machines('--remove', run['id'])
    assert json.loads(machines('--json').stdout)['runs'] == []
    assert workers.log().count('leaves') == 2, workers.log()
    for wrong in (run['id'], 'nonsense'):
        machines('--remove', wrong, expected=1)
    workers.stop()
    print('kiki-lab machines: workers, run, page and removal as they should be')
    server.stop()


def secure(folder):
    made = lambda *words: subprocess.run(['openssl', *map(str, words)], check=True, capture_output=True, cwd=folder)
    made('req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', 2, '-subj', '/CN=lab')
    (folder / 'names').write_text('subjectAltName=IP:127.0.0.1,DNS:localhost')
    for name in ('server', 'client'):
        made('req', '-newkey', 'ed25519', '-nodes', '-keyout', f'{name}.key', '-out', f'{name}.csr', '-subj', f'/CN={name}')
        made('x509', '-req', '-in', f'{name}.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', f'{name}.pem', '-days', 2, '-extfile', 'names')
    tls = ['--tlscert', str(folder / 'server.pem'), '--tlskey', str(folder / 'server.key'), '--tlscacert', str(folder / 'ca.pem')]
    # An nkey is base32 of a kind, an Ed25519 key and a checksum.
    nkey = lambda content: base64.b32encode(content + binascii.crc_hqx(content, 0).to_bytes(2, 'little')).decode().rstrip('=')
    made('genpkey', '-algorithm', 'ed25519', '-outform', 'DER', '-out', 'nkey.der')
    made('pkey', '-inform', 'DER', '-in', 'nkey.der', '-pubout', '-outform', 'DER', '-out', 'public.der')
    last = lambda name: (folder / name).read_bytes()[-32:]
    seed, public = nkey(bytes([149, 0]) + last('nkey.der')), nkey(bytes([160]) + last('public.der'))
    assert seed.startswith('SU') and public.startswith('U')
    (folder / 'lab.nk').write_text(seed)
    (folder / 'nkey.conf').write_text('authorization { users = [ { nkey: %s } ] }\n' % public)
    ca, own = ['--nats-ca', folder / 'ca.pem'], ['--nats-certificate', folder / 'client.pem', '--nats-key', folder / 'client.key']
    turn = 0
    for name, server_words, user, right, wrong in [
        ('TLS', ['--tls', *tls], '', ca, [('certificate', [])]),
        ('TLS with client certificates', ['--tlsverify', *tls], '', [*ca, *own], [('', ca)]),
        ('an nkey', ['-c', str(folder / 'nkey.conf')], '', ['--nats-credentials', folder / 'lab.nk'], [('authorization', [])]),
        ('a password with characters that URLs escape', ['--user', 'a b', '--pass', 'p/@:%x'], 'a%20b:p%2F%40%3A%25x@', [], []),
    ]:
        place = folder / str(turn)
        place.mkdir()
        server = Server(place, *server_words)
        url = f'nats://{user}127.0.0.1:{server.port}'
        command = [LAB, 'worker', '--nats', url, '--threads', '1', '--cache', str(folder / 'cache'), *map(str, right)]
        log = open(place / 'worker.log', 'w')
        worker = subprocess.Popen(command, stdout=log, stderr=log)
        lab('selfplay', '--positions', 500, '--nodes', 50, '--out', place / 'x.games', '--nats', url, *right, timeout=60)
        worker.send_signal(signal.SIGINT)
        assert worker.wait(20) == 0
        for expected, words in wrong:
            done = lab('selfplay', '--positions', 500, '--out', place / 'y.games', '--nats', url, *words, expected=1, timeout=60)
            lines = done.stderr.strip().splitlines()
            assert len(lines) == 1 and expected.lower() in lines[0].lower(), (name, lines)
        print(f'{name}: a run with a worker, and one clear line without it')
        server.stop()
        turn += 1


class Publisher:
    """Publishes bytes under any subject, as an enemy with an account would."""
    def __init__(self, server):
        self.socket = socket.create_connection(('127.0.0.1', server.port))
        self.socket.recv(65536)
        self.socket.sendall(b'CONNECT {"verbose":false}\r\n')

    def publish(self, subject, payload):
        self.socket.sendall(f'PUB {subject} {len(payload)}\r\n'.encode() + payload + b'\r\n')


def hostile(folder):
    server = Server(folder)
    workers = Workers(server, folder, 2)
    enemy = Publisher(server)
    case = cases(folder)[0]
    words = [LAB, *map(str, case.words), *map(str, case.out(folder / 'many')), '--nats', server.url]
    words[words.index('9000')] = '40000'
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while 'serves' not in workers.log():
        time.sleep(0.1)
    run = re.search(r'serves (\w+)', workers.log())[1]
    program = subprocess.check_output([LAB, '--version'], text=True).splitlines()[0]
    protocol, signature = map(int, re.search(r'messages (\d+), search (\d+)', workers.log()).groups())
    good = {'protocol': protocol, 'program': program, 'signature': signature}
    notice = lambda **changes: json.dumps({'version': good, 'what': 'x', 'kind': 'self-play', 'timed': False, 'job': {}} | changes).encode()
    version = lambda **changes: notice(version=good | changes)
    bomb = zlib.compress(b'0' * (1 << 28), 9)
    result = lambda number, what: zlib.compress(json.dumps({'number': number, 'worker': 'w9', 'result': what}).encode())
    notices = {
        'nothing': b'', 'no JSON': b'\xff\xfe', 'no object': b'[]', 'other keys': b'{"a":1}', 'deep': b'[' * 100000, 'an empty job': notice(),
        'another kind': notice(kind='shell'), 'a command': notice(kind='match', job={'engines': [{'command': ['sh', '-c', 'touch stolen']}]}),
        'a job of another type': notice(job=7), 'an older protocol': version(protocol=0), 'a newer protocol': version(protocol=protocol + 1),
        'another program': version(program='kiki-lab 9.9.9'), 'another search': version(signature=1), 'no version': version(signature='x'),
        'a file elsewhere': notice(job={'evaluation': {'network': {'file': '/etc/passwd', 'blake3': '../../etc/passwd', 'fv_scale': 16}}, 'settings': {}}),
    }
    for number, (name, payload) in enumerate(notices.items()):
        enemy.publish(f'$KV.kiki-runs.{number:016x}', payload)
    enemy.publish('$KV.kiki-runs.not-a-run', notice())
    for number, payload in enumerate([b'', b'x', b'{}', b'{"number":0}', b'{"number":-1,"task":null}', b'{"number":0,"task":null,"more":1}']):
        enemy.publish(f'kiki.{run}.task.{9000000 + number}', payload)
        # In the place of a task that comes later.
        enemy.publish(f'kiki.{run}.task.{60 + number}', payload)
    for number, payload in enumerate([b'', b'x', bomb, zlib.compress(b'{}'), result(-1, 'returned'), result(900, {'done': 'x'}),
                                      result(901, {'done': [[1, 2, 3]]})[:20]]):
        enemy.publish(f'kiki.{run}.result.{900 + number}', payload)
    for payload in [b'', b'x', b'{"name":"\\u001b[31m"}', b'\x00' * 1000]:
        enemy.publish('kiki.worker.enemy', payload)
    said = process.communicate(timeout=300)[0]
    assert process.returncode == 0, said
    case.words[case.words.index(9000)] = 40000
    case.run(folder / 'one')
    assert case.same(folder / 'many') == case.same(folder / 'one')
    log = workers.log() + said
    refused = len(re.findall(r'run \S+ is refused: ', workers.log())) // 2
    dropped = len(re.findall(r'(?:a result|a task of run \w+|a notice of a worker) is dropped: ', log))
    assert refused == len(notices) + 1, (refused, workers.log())
    assert dropped >= 12 and '\x1b' not in log and not pathlib.Path('stolen').exists(), (dropped, log)
    print(f'{len(notices) + 24} hostile messages: {refused} runs refused by each worker, {dropped} messages dropped with a line each; the same result')
    workers.stop()
    server.stop()
    refusals(folder)


def refusals(folder):
    """Wrong URLs and credentials: one clear line each."""
    guarded = Server(folder, '--user', 'lab', '--pass', 'secret')
    plain = subprocess.Popen(['nats-server', '-a', '127.0.0.1', '-p', str(port := free_port())], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    (folder / 'bad.creds').write_text('nonsense')
    address = f'127.0.0.1:{guarded.port}'
    for words, expected in [
        ([f'nats://{address}'], 'authorization violation'),
        ([f'nats://lab:wrong@{address}'], 'authorization violation'),
        ([f'nats://token@{address}'], 'authorization violation'),
        ([f'nats://127.0.0.1:{free_port()}'], 'refused'),
        ([f'http://{address}'], 'scheme'),
        (['nats://198.51.100.1:4222'], 'needs credentials'),
        ([f'nats://127.0.0.1:{port}'], 'JetStream must be on'),
        ([f'nats://{address}', '--nats-credentials', str(folder / 'bad.creds')], 'bad.creds'),
        ([f'nats://{address}', '--nats-ca', str(folder / 'missing.pem')], 'there is no such file'),
    ]:
        for command in (['worker'], ['selfplay', '--out', folder / 'x.games']):
            done = lab(*command, '--nats', *words, expected=1)
            lines = done.stderr.strip().splitlines()
            assert len(lines) == 1 and expected in lines[0] and 'secret' not in lines[0] and 'wrong' not in lines[0], (words, lines)
    lab('selfplay', '--out', folder / 'none.games', '--nats', f'nats://lab:secret@{address}', '--positions', 0)
    plain.terminate()
    guarded.stop()
    print('wrong addresses and credentials: one clear line each')


if __name__ == '__main__':
    for part in sys.argv[2:] or ['same', 'killed', 'many', 'speed', 'shown', 'secure', 'hostile', 'learn']:
        print(f'== {part}', flush=True)
        with tempfile.TemporaryDirectory() as name:
            try:
                globals()[part](pathlib.Path(name))
            except BaseException:
                shutil.copytree(name, '/tmp/machines-failed', dirs_exist_ok=True)
                raise
