"""The reader's own games on the board of `kiki serve`, and games of Kiki against itself. Functions of serve.py."""
import contextlib
import json
import re
import time

PATIENCE = 4
MATE = '4k4/9/4P4/9/9/9/9/9/4K4 b G 1'
# An entry of the list, without its number.
ENTRY = {'version': 1, 'black': 'あなた', 'white': 'Kiki レベル3', 'control': '', 'start': 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1',
         'plies': 1, 'last': '7g7f', 'outcome': 'black', 'reason': 'resignation', 'searched': False}


def entries(board):
    """What the open list says of each game."""
    return board.browser.value('[...document.querySelectorAll("#own-list .own-open")].map((node) => node.textContent)')


def open_list(board):
    board.browser.value('document.getElementById("own").open = true')
    board.wait(lambda: board.browser.value('document.getElementById("own-list").childElementCount') > 0)


def clear(board):
    """Begins with no game."""
    browser = board.browser
    board.open()
    browser.value('new Promise((done) => { const open = indexedDB.open("kiki", 1); open.onsuccess = () => { const work = open.result.transaction(["games", "records"], "readwrite"); '
                  'for (const name of ["games", "records"]) work.objectStore(name).clear(); work.oncomplete = () => { open.result.close(); done(); }; }; })')
    board.open_again()


def stored(board, name):
    return board.browser.value(f'new Promise((done) => {{ const open = indexedDB.open("kiki", 1); open.onsuccess = () => {{ const all = open.result.transaction("{name}").objectStore("{name}").getAll(); '
                               'all.onsuccess = () => { open.result.close(); done(all.result); }; }; })')


@contextlib.contextmanager
def script(browser, source):
    """Runs `source` before the programs of pages that are opened meanwhile."""
    number = browser.ask('Page.addScriptToEvaluateOnNewDocument', source=source)['identifier']
    yield
    browser.ask('Page.removeScriptToEvaluateOnNewDocument', identifier=number)


@contextlib.contextmanager
def second_tab(board, kept):
    """Another tab of the same browser, which begins with `kept`, as a copy of a tab does."""
    browser = board.browser
    first, browser.session = browser.session, None
    target = browser.ask('Target.createTarget', url='about:blank')['targetId']
    browser.session = browser.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
    for domain in ['Page', 'Runtime']:
        browser.ask(f'{domain}.enable')
    with script(browser, f'sessionStorage.setItem("kiki", {json.dumps(kept)})'):
        board.open()
    yield
    browser.session = None
    browser.ask('Target.closeTarget', targetId=target)
    browser.session = first


def played(board, moves, side='black'):
    """Plays moves against level 1, and waits for its answers."""
    for move in moves:
        count = len(board.moves())
        board.type_move(move)
        board.wait(lambda: len(board.moves()) == count + 2)
        board.wait_for_turn()


def own_games(board, picture, folder):
    """Games are kept, the newest first: a lost one, one that a reload did not end, one that is broken off. They open, go on, and can be deleted."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    open_list(board)
    assert entries(board) == [], entries(board)
    board.choose('clock', 3)
    board.begin(1, 'black')
    board.resign()
    assert stored(board, 'games') == [] and browser.text('#own-count') == '(0)', 'a game without a move of the reader is none'
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.wait(lambda: browser.text('#own-count') == '(1)')
    board.resign()
    assert browser.value('document.getElementById("candidates").hidden'), 'what a weak level saw teaches nothing'
    board.wait(lambda: re.search('(負け|Lost).*投了|Lost.*resignation', (entries(board) or [''])[0]))
    assert re.search('最後の局面から|from the end', browser.text('[data-key^="own on"]'))
    assert re.search('☗ · Kiki (レベル1|level 1).*(2手|2 moves).*(10分、秒読み30秒|10 min, byoyomi 30 s)', entries(board)[0]), entries(board)
    assert re.search('(レベル1|level 1)010$', browser.text('#own-levels tbody')), browser.text('#own-levels')
    # A game taken back after its end goes on as the same game.
    browser.click('#banner-close')
    for _ in ['the end', 'two moves']:
        browser.click('#take-back')
    played(board, ['2g2f'])
    board.wait(lambda: re.search('対局中|going on', entries(board)[0]) and len(entries(board)) == 1)
    assert browser.value('document.querySelector("[data-key^=\'own delete\']").getAttribute("aria-disabled")') == 'true'
    # A tab that closes breaks its game off; without what the tab kept, the game waits in the list.
    board.open_again()
    open_list(board)
    board.wait(lambda: re.search('中断|broken off', entries(board)[0]))
    left = browser.value('document.querySelector("#own-levels").hidden')
    assert left, 'a game that is broken off counts for nobody'
    assert re.search('再開|Resume', browser.text('[data-key^="own on"]'))
    browser.click('[data-key^="own on"]')
    board.wait(lambda: len(board.moves()) == 2)
    board.wait_for_turn()
    assert re.match('9:|10:', browser.text('#clock-black')), 'the clock goes on'
    played(board, ['9g9f'])
    assert len(stored(board, 'games')) == 1
    board.begin(1, 'white')
    board.wait(lambda: re.search('中断|broken off', entries(board)[0]))
    # One move wins; the second game stands first.
    browser.click('[data-mode=analyze]')
    board.open_record(MATE)
    browser.click('#play-here')
    board.begin(0, 'black')
    time.sleep(1.1)
    board.type_move('G*5b')
    board.wait(lambda: len(entries(board)) == 2)
    assert re.search('(勝ち|Won).*(詰み|checkmate).*(1手|1 move ).*(指定局面|from a position)', entries(board)[0]), entries(board)
    browser.picture(picture, whole=True)
    board.check('own games')
    # The older game opens in the analysis. A search of the whole game is kept with it.
    browser.click('#own-list li:nth-child(2) .own-open')
    board.wait(lambda: len(board.moves()) == 4)
    browser.click('#whole')
    board.wait(lambda: re.search('検討済|searched', entries(board)[1]))
    assert [record for record in stored(board, 'records') if 'search' in record['record']], 'values are kept'
    board.open_again()
    open_list(board)
    browser.click('#own-list li:nth-child(2) .own-open')
    board.wait(lambda: browser.value('document.querySelectorAll("#graph .series").length') == 1)
    # Keys reach every button; what is deleted comes back.
    browser.value('document.querySelector("#own-list li:nth-child(2) [data-key^=\'own delete\']").focus()')
    board.type_keys('Enter')
    board.wait(lambda: len(entries(board)) == 1)
    assert browser.value('document.activeElement.id') == 'own-undo', 'the focus is at the way back'
    board.type_keys('Enter')
    board.wait(lambda: len(entries(board)) == 2 and len(stored(board, 'records')) == 2)
    # All that were deleted come back, one after the other.
    for left in [1, 0]:
        browser.click('[data-key^="own delete"]')
        board.wait(lambda: len(entries(board)) == left)
    for back in [1, 2]:
        browser.click('#own-undo')
        board.wait(lambda: len(entries(board)) == back)
    assert browser.value('document.getElementById("own-undo").hidden')
    # Two presses at once delete a game once, and bring back no other.
    twice = lambda selector: browser.value(f'(() => {{ const node = document.querySelector({json.dumps(selector)}); node.click(); node.click(); }})()')
    twice('[data-key^="own delete"]')
    board.wait(lambda: len(entries(board)) == 1)
    twice('#own-undo')
    board.wait(lambda: len(entries(board)) == 2 and len(stored(board, 'records')) == 2 and browser.value('document.getElementById("own-undo").hidden'))
    transfers(board, folder)


def studied(board, move):
    """Adds a variation to the first position of the newest own game, with a comment, in the analysis."""
    browser = board.browser
    browser.click('#own-list .own-open')
    board.wait(lambda: browser.value('document.querySelector("#moves button") !== null'))
    # The page asks for the legal moves.
    time.sleep(0.3)
    board.type_move(move)
    board.wait(lambda: browser.value('document.querySelector("#moves .branch [aria-current]") !== null'))
    comment(board, 'a variation')
    board.wait(lambda: any('variations' in kept['record'] for kept in stored(board, 'records')))


def comment(board, words):
    board.browser.value(f'(() => {{ const field = document.getElementById("comment"); field.value = {json.dumps(words)}; for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind)); }})()')


def continued(board):
    """What is played is the main line, whatever variations an analysis has added."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.resign()
    open_list(board)
    studied(board, '2g2f')
    browser.click('[data-key^="own on"]')
    board.wait_for_turn()
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    assert browser.value('document.querySelectorAll("#moves .branch button").length') == 1
    board.wait_for_turn()
    played(board, ['9g9f'])
    board.resign()
    board.wait(lambda: re.search('2手|2 moves', entries(board)[0]))
    assert sorted(kept['record']['moves'][0]['move'] for kept in stored(board, 'records')) == ['7g7f', '9g9f'], stored(board, 'records')


def copied(board):
    """What is added to a game on the screen where it was played, and in the analysis, is kept together."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.resign()
    browser.click('[data-key="banner analyzeIt"]')
    board.said('3 / 3|3 of 3', '#status')
    board.open_drawer()
    browser.click('#first')
    comment(board, 'analysed')
    browser.click('[data-mode=play]')
    comment(board, 'played')
    kept = lambda: stored(board, 'records')[0]['record']
    board.wait(lambda: kept()['moves'][1].get('comment') == 'played')
    assert kept()['comment'] == 'analysed' and 'search' in kept(), kept()
    browser.click('[data-mode=analyze]')
    comment(board, 'analysed again')
    board.wait(lambda: kept()['comment'] == 'analysed again')
    assert kept()['moves'][1]['comment'] == 'played', kept()


def gone_on(board):
    """A deleted game comes back beside the one that went on from it."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.resign()
    browser.click('#banner-close')
    open_list(board)
    board.wait(lambda: len(entries(board)) == 1)
    browser.click('[data-key^="own delete"]')
    board.wait(lambda: not entries(board) or 'own-open' not in browser.value('document.getElementById("own-list").innerHTML'))
    browser.click('#take-back')
    played(board, ['2g2f'])
    board.wait(lambda: len(stored(board, 'games')) == 1)
    browser.click('#own-undo')
    board.wait(lambda: len(stored(board, 'games')) == 2 and len(stored(board, 'records')) == 2)
    board.resign()


def transfers(board, folder):
    """All games as one file of each form, and back."""
    browser = board.browser
    browser.ask('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(folder))
    before = {json.dumps(record['record'], sort_keys=True) for record in stored(board, 'records')}
    listed = [re.sub(' · (検討済|searched)', '', entry) for entry in entries(board)]
    for form in ['jsonl', 'kifu', 'csa']:
        browser.click(f'[data-export={form}]')
        file = folder / f'kiki-games-{time.strftime("%Y-%m-%d", time.gmtime())}.{form}'
        board.wait(lambda: file.exists() and re.search(re.escape(file.name), browser.text('#own-words')))
        board.choose_file('#own-file', file)
        board.said('0局を読み込みました。2局は既に|^0 games imported. already there: 2', '#own-words')
        for count in [1, 0]:
            browser.click('[data-key^="own delete"]')
            board.wait(lambda: len(entries(board)) == count)
        board.choose_file('#own-file', file)
        board.said('^2局を読み込みました$|^2 games imported$', '#own-words')
        board.wait(lambda: len(entries(board)) == 2)
        if form == 'jsonl':
            assert {json.dumps(record['record'], sort_keys=True) for record in stored(board, 'records')} == before, 'JSON loses nothing'
        assert [re.sub(' · (検討済|searched)', '', entry) for entry in entries(board)] == listed, (form, entries(board), listed)
    # What a file has brought back is not there twice.
    browser.click('#own-undo')
    board.said('1局は既に|already there: 1', '#own-words')
    assert len(entries(board)) == 2, entries(board)
    broken = folder / 'broken.txt'
    broken.write_text('startpos moves 7g7f 3c3d\nstartpos moves 7g7f 7c7e\nstartpos moves 2g2f\n')
    board.choose_file('#own-file', broken)
    board.said('2局を読み込みました。1局は読めません（2行目: 「7c7e」は指せません|2 games imported. 1 cannot be read .*line 2', '#own-words')
    # The same last moves after others are another game.
    broken.write_text(''.join(f'startpos moves {first} 9g9f 9c9d 1g1f\n' for first in ['7g7f 3c3d 2g2f 8c8d', '2g2f 8c8d 7g7f 3c3d']))
    for words in ['^2局を読み込みました$|^2 games imported$', '^0局を読み込みました。2局は既に|^0 games imported. already there: 2']:
        board.choose_file('#own-file', broken)
        board.said(words, '#own-words')
    broken.write_text('{"start":"%s","moves":[{"move":"7g7e"}]}\n{"start":"%s","moves":[{"move":"1g1f"}]}\nnonsense\n' % (ENTRY['start'], ENTRY['start']))
    board.choose_file('#own-file', broken)
    board.said('1局を読み込みました。2局は読めません|1 game imported. 2 cannot be read', '#own-words')
    # Clocks in the words of earlier versions.
    for day, clock in enumerate(['10 minutes, 5 s added a move', '3 minutes, byoyomi 5 s'], 1):
        broken.write_text(f'手合割：平手\n開始日時：2099/01/0{day} 00:00:00\n持ち時間：{clock}\n1 ７六歩(77)\n', encoding='utf-8')
        board.choose_file('#own-file', broken)
        board.wait(lambda: re.search('10分、一手5秒加算|10 min, 5 s added' if 'added' in clock else '3分、秒読み5秒|3 min, byoyomi 5 s', ' '.join(entries(board))))
    broken.write_bytes(bytes(5_000_000))
    board.choose_file('#own-file', broken)
    board.said(r'0局を読み込みました。.*MiB は大きすぎます|0 games imported. .*MiB are too much', '#own-words')
    # A file that the server takes in portions. Line numbers are those of the file.
    games = [f'N+a\nN-b\n$START_TIME:2020/01/01 {number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}\nPI\n+\n' + "'" + 'x' * 2000 + '\n+7776FU\n%TORYO\n' for number in range(1200)]
    broken.write_text('/\n'.join([*games, 'PI\n+\n+7775FU\n']))
    board.choose_file('#own-file', broken)
    board.said('^1200局を読み込みました。1局は読めません（10803行目|^1200 games imported. 1 cannot be read .line 10803', '#own-words')


def storage(board):
    """Two tabs with copies of one game keep both; a full store says so and takes the game when there is room; without a store the games last as long as the tab; thousands are shown at once."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.wait(lambda: len(stored(board, 'games')) == 1)
    browser.value('dispatchEvent(new Event("pagehide"))')
    with second_tab(board, browser.value('sessionStorage.getItem("kiki")')):
        board.wait_for_turn()
        played(board, ['2g2f', '9g9f'])
        board.wait(lambda: sorted(game['plies'] for game in stored(board, 'games')) == [6])
    played(board, ['1g1f'])
    board.wait(lambda: sorted(game['plies'] for game in stored(board, 'games')) == [4, 6])
    # The browser remembers the room for a database as long as it is open.
    origin = browser.value('location.origin')
    browser.ask('Page.navigate', url='about:blank')
    browser.ask('Storage.overrideQuotaForOrigin', origin=origin, quotaSize=1)
    time.sleep(PATIENCE)
    board.open()
    board.wait_for_turn()
    played(board, ['3g3f'])
    board.said('保存できていません（保存領域が一杯です）|could not keep this game .the storage is full', '#unkept')
    assert sorted(game['plies'] for game in stored(board, 'games')) == [4, 6], 'what was kept is there'
    board.resign()
    open_list(board)
    browser.ask('Storage.overrideQuotaForOrigin', origin=origin)
    browser.click('#own-list li:nth-child(2) [data-key^="own delete"], #own-list [data-key^="own delete"]:not([aria-disabled=true])')
    board.wait(lambda: browser.text('#unkept') == '')
    board.wait(lambda: 6 in [game['plies'] for game in stored(board, 'games')])
    many = [{**ENTRY, 'id': f'id {number}', 'time': f'2020/01/01 {number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}'} for number in range(5000)]
    browser.value(f'new Promise((done) => {{ const open = indexedDB.open("kiki", 1); open.onsuccess = () => {{ const work = open.result.transaction("games", "readwrite"); '
                  f'for (const entry of {json.dumps(many)}) work.objectStore("games").put(entry); work.oncomplete = () => {{ open.result.close(); done(); }}; }}; }})')
    board.open()
    started = time.time()
    open_list(board)
    board.wait(lambda: '500' in browser.text('#own-count'))
    took = time.time() - started
    assert len(entries(board)) == 30 and took < 5, (len(entries(board)), took)
    browser.click('#own-more')
    assert len(entries(board)) == 60
    assert '5000' in browser.text('#own-levels'), browser.text('#own-levels')
    print(f'a list of 5000 games opens in {took:.2f} s')
    clear(board)
    with script(browser, 'IDBFactory.prototype.open = () => { throw new DOMException("forbidden", "SecurityError"); }'):
        board.open()
        board.begin(1, 'black')
        played(board, ['7g7f'])
        open_list(board)
        board.said('保存できません|cannot keep games', '#own-words')
        assert len(entries(board)) == 1
        board.resign()
        board.wait(lambda: re.search('負け|Lost', entries(board)[0]))
    board.open_again()


def watching(board, picture):
    """Kiki plays against itself, in a pace, with pauses and single steps, up to the end. The reader may keep the game. Two persons play on one board."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    shown = lambda: browser.value('["side", "clock", "level", "level-white"].filter((id) => document.getElementById(id).checkVisibility())')
    assert shown() == ['side', 'clock', 'level'], shown()
    browser.click('[name=kind][value=watch]')
    assert shown() == ['level', 'level-white'], shown()
    browser.value('document.getElementById("level").value = 20; document.getElementById("level-white").value = 0')
    browser.click('#new-game .main')
    board.wait(lambda: len(board.moves()) >= 3)
    assert browser.text('#near .name').endswith('20') and browser.text('#far .name').endswith('0'), browser.text('#near .name')
    assert not browser.value('document.getElementById("resign").checkVisibility()')
    browser.click('#pause')
    board.said('一時停止中|Paused', '#status')
    time.sleep(2.5)
    count = len(board.moves())
    time.sleep(2.5)
    assert len(board.moves()) == count, 'the game waits'
    # Only the strong side shows values.
    valued = browser.value('[...document.querySelectorAll("#moves button")].map((node) => node.querySelector(".value") !== null)')
    assert any(valued) and valued != [True] * len(valued), valued
    browser.click('#step')
    board.wait(lambda: len(board.moves()) == count + 1)
    board.said('一時停止中|Paused', '#status')
    time.sleep(2.5)
    assert len(board.moves()) == count + 1, 'one move'
    browser.picture(picture, whole=True)
    board.check('a watched game')
    # The game waits on another screen too, and after a reload.
    browser.click('[data-mode=analyze]')
    browser.click('[data-mode=play]')
    kept = json.dumps(browser.value('sessionStorage.getItem("kiki")'))
    with script(browser, f'sessionStorage.setItem("kiki", {kept})'):
        board.open()
    board.said('一時停止中|Paused', '#status')
    time.sleep(2.5)
    assert len(board.moves()) == count + 1, 'it waits'
    browser.click('#pause')
    board.said('考えています|thinks', '#status')
    board.wait(lambda: len(board.moves()) >= count + 3)
    # Who looks back comes to the last position at the stop.
    browser.click('#back')
    board.said('前の局面を見ています$|earlier position$', '#status')
    for _ in range(2):
        # Moves come between the presses.
        time.sleep(2.5)
        assert browser.value('document.getElementById("banner").hidden'), 'the first press asks'
        browser.click('#stop')
    board.wait(lambda: re.search('中断|Stopped', browser.text('#banner-result')))
    open_list(board)
    assert entries(board) == [], 'only games that the reader wants'
    # After the banner is closed the drawer still offers it.
    browser.click('#banner-close')
    board.open_drawer()
    browser.click('#keep-it')
    board.wait(lambda: len(entries(board)) == 1)
    assert not browser.value('document.getElementById("keep-it").checkVisibility()')
    assert re.search('☗ (レベル20|level 20) – ☖ (レベル0|level 0)', entries(board)[0]), entries(board)
    assert browser.value('document.getElementById("own-levels").hidden'), 'nobody has won'
    # To the end: Black mates at once.
    browser.click('[data-mode=analyze]')
    board.open_record(MATE)
    browser.click('#play-here')
    assert browser.value('document.querySelector("[name=kind]:checked").value') == 'watch', 'the kind is kept'
    browser.click('#new-game .main')
    board.wait(lambda: re.match('先手の勝ち|Black won', browser.text('#banner-result')))
    # Two persons: both sides move, and one move is taken back.
    browser.click('#new')
    board.choose('start-at', 'start')
    browser.click('[name=kind][value=both]')
    assert shown() == ['clock'], shown()
    browser.click('#new-game .main')
    board.wait_for_turn()
    for count, move in enumerate(['7g7f', '3c3d', '2g2f']):
        board.type_move(move)
        board.wait(lambda: len(board.moves()) == count + 1)
        board.wait_for_turn()
    browser.click('#take-back')
    board.wait(lambda: board.moves() == ['7g7f', '3c3d'])
    board.wait_for_turn()
    for _ in range(2):
        browser.click('#resign')
    board.wait(lambda: re.match('後手の勝ち|White won', browser.text('#banner-result')))
    board.wait(lambda: len(entries(board)) == 2)
    browser.click('#new')
    browser.click('[name=kind][value=kiki]')
    browser.click('#start-close')
