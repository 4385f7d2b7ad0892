"""Checks of accessibility by axe-core, which the package axe-playwright-python has."""
import importlib.util
import json
import pathlib


def source():
    """The program of axe, without the parts of the package that need Playwright."""
    found = importlib.util.find_spec('axe_playwright_python')
    assert found, 'pip install --no-deps axe-playwright-python'
    return pathlib.Path(found.origin).with_name('axe.min.js').read_text()


def check(browser, name):
    """All rules in the colours of the screen, and contrasts in the other colours too."""
    if not browser.value('"axe" in window'):
        browser.value(source() + '; 0')
    # What arrives is not yet in its colours.
    browser.value('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => 0)')
    dark = browser.value('matchMedia("(prefers-color-scheme: dark)").matches')
    faults = run(browser, {})
    browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'light' if dark else 'dark'}])
    faults += run(browser, {'runOnly': ['color-contrast']})
    browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
    assert not faults, (name, faults)


def run(browser, options):
    return json.loads(browser.value(f'''axe.run(document, {json.dumps(options)}).then(({{ violations }}) =>
        JSON.stringify(violations.map(({{ id, help, nodes }}) => [id, help, nodes.slice(0, 3).map(({{ target, any, all }}) => [target.join(" "), [...any, ...all].map(({{ message }}) => message).join("; ").slice(0, 200)])])))'''))
