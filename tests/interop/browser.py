"""A headless browser, driven by the protocol of its developer tools. Needs websocket-client."""
import base64
import json
import pathlib
import subprocess
import tempfile
import time
import zlib

import websocket


def wait(condition, told, seconds=60):
    """Waits until a condition holds, or fails with what is told."""
    deadline = time.time() + seconds
    while not condition():
        assert time.time() < deadline, told()
        time.sleep(0.02)


class Browser:
    """A page of a headless browser."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        words = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-port=0',
                 '--remote-allow-origins=*', f'--user-data-dir={self.folder.name}', '--lang=ja', 'about:blank']
        self.process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(self.folder.name, 'DevToolsActivePort')
        wait(lambda: port_file.exists() and len(port_file.read_text().split()) == 2, lambda: 'the browser does not start')
        port, path = port_file.read_text().split()
        self.socket = websocket.create_connection(f'ws://127.0.0.1:{port}{path}', timeout=60)
        self.number, self.session, self.events = 0, None, []
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ['Page', 'Runtime', 'Network', 'Log']:
            self.ask(f'{domain}.enable')

    def ask(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get('id') == self.number:
                assert 'error' not in answer, (method, answer)
                return answer['result']
            self.events.append(answer)

    def value(self, expression):
        answer = self.ask('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in answer, (expression, answer)
        return answer['result'].get('value')

    def resize(self, width, height, touch, scheme='light', forced=False, media=''):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=2 if touch else 1, mobile=touch)
        self.ask('Emulation.setTouchEmulationEnabled', enabled=touch)
        features = {'prefers-color-scheme': scheme, 'forced-colors': 'active' if forced else 'none'}
        self.ask('Emulation.setEmulatedMedia', media=media, features=[{'name': name, 'value': value} for name, value in features.items()])

    def open(self, path, place):
        self.ask('Page.navigate', url='about:blank')
        self.ask('Page.navigate', url=f'{path.resolve().as_uri()}#{place}')
        wait(lambda: self.value("location.protocol === 'file:' && document.readyState === 'complete'"), lambda: 'the page does not load')
        self.settle()

    def settle(self):
        """Waits until what is drawn on a change of size is drawn."""
        self.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def key(self, name):
        for kind in ['keyDown', 'keyUp']:
            self.ask('Input.dispatchKeyEvent', type=kind, key=name)

    def wheel(self, point, along_x, along_y, modifiers=0):
        self.ask('Input.dispatchMouseEvent', type='mouseWheel', x=point[0], y=point[1], deltaX=along_x, deltaY=along_y, modifiers=modifiers)
        self.settle()

    def mouse(self, *points, button='left'):
        kinds = ['mousePressed', *['mouseMoved'] * (len(points) - 2), 'mouseReleased']
        for kind, (x, y) in zip(kinds, points):
            self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, button=button, buttons={'left': 1, 'right': 2}[button], clickCount=1)

    def touch(self, *points):
        """A finger that goes down at the first point and up at the last. Leaves time to tell it from a scroll."""
        for kind, point in zip(['touchStart', *['touchMove'] * (len(points) - 1)], points):
            self.ask('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': point[0], 'y': point[1]}])
            self.settle()
        self.ask('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        self.settle()

    def box(self, selector):
        return self.value(f'(() => {{ const node = document.querySelector({json.dumps(selector)}); node.scrollIntoView({{ block: "nearest" }}); '
                          'const { x, y, width, height } = node.getBoundingClientRect(); return { x, y, width, height }; })()')

    def middle(self, selector):
        box = self.box(selector)
        return box['x'] + box['width'] / 2, box['y'] + box['height'] / 2

    def click(self, selector):
        self.drag(selector, selector)

    def drag(self, source, target):
        self.mouse(self.middle(source), self.middle(target))

    def choose(self, field, value):
        self.value(f'(() => {{ const field = document.getElementById("{field}"); field.value = "{value}"; field.dispatchEvent(new Event("change")); }})()')

    def text(self, selector):
        return self.value(f'document.querySelector({json.dumps(selector)}).textContent')

    def ply(self):
        return self.value('Number(new URLSearchParams(location.hash.slice(1)).get("ply"))')

    def picture(self, path, whole=False):
        self.settle()
        answer = self.ask('Page.captureScreenshot', format='png', captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer['data']))

    def pixel(self, x, y):
        """The colour of the page at a place in the window: red, green, blue."""
        width, height, *scrolled = self.value('[innerWidth, innerHeight, scrollX, scrollY]')
        # Outside the window a picture is white.
        assert 0 <= x < width and 0 <= y < height, ('outside the window', x, y)
        clip = {'x': x + scrolled[0], 'y': y + scrolled[1], 'width': 1, 'height': 1, 'scale': 1}
        picture = base64.b64decode(self.ask('Page.captureScreenshot', format='png', clip=clip)['data'])
        # Chunks: length, kind, content, checksum. A pixel in the corner is the same under every filter.
        at, packed = 8, b''
        while at < len(picture):
            length = int.from_bytes(picture[at:at + 4])
            if picture[at + 4:at + 8] == b'IDAT':
                packed += picture[at + 8:at + 8 + length]
            at += length + 12
        return tuple(zlib.decompress(packed)[1:4])

    def check_quiet(self, *places):
        """Nothing was loaded from elsewhere than addresses that begin so, and nothing failed."""
        for event in self.events:
            method, found = event.get('method'), event.get('params', {})
            assert method != 'Runtime.exceptionThrown', found
            assert method != 'Page.javascriptDialogOpening', found
            assert method != 'Log.entryAdded' or found['entry']['level'] != 'error', found
            if method == 'Network.requestWillBeSent':
                url = found['request']['url']
                assert url.startswith(places) or url == 'about:blank', url

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
