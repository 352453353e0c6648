"""A headless Chromium that can be looked at: pages as a person would see them."""

import base64
import contextlib
import json
import math
import os
import shutil
import subprocess
import time
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--hide-scrollbars", "--disable-gpu-sandbox",
    "--no-first-run", "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)  # fmt: skip
# [s] A software renderer compiles the shaders of the first handles in 8 s on two idle cores, in 41 s beside
# two other programs.
PATIENCE = float(os.environ.get("BROWSER_PATIENCE", "240"))


class Page:
    """One page, spoken to through the browser's own debugging protocol."""

    def __init__(self, socket):
        self._socket, self._number = socket, 0

    def ask(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def run(self, script):
        made = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        return made["result"].get("value")

    def click(self, text):
        """Press the button that bears a text, as soon as there is one."""
        script = """(() => { const b = [...document.querySelectorAll('button')]
            .find(b => b.innerText.trim() === %s); if (!b) return false; b.click(); return true })()"""
        end = time.monotonic() + PATIENCE
        while not self.run(script % json.dumps(text)):
            assert time.monotonic() < end, f"no button {text!r}"
            time.sleep(0.1)

    def press(self, key, code=None, text="", *, shift=False):
        """Press and release a key, as "ArrowRight" or "n"."""
        code = code or key
        for kind in ("keyDown", "keyUp"):
            typed = text if kind == "keyDown" else ""
            self.ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=code, text=typed,
                modifiers=8 if shift else 0,
            )  # fmt: skip

    def mouse(self, kind, x, y, *, ctrl=False, shift=False):
        """Let the mouse do something: "Moved", "Pressed" or "Released"."""
        held = 0 if kind == "Released" else 1
        self.ask(
            "Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button="left", buttons=held,
            clickCount=1, modifiers=2 * ctrl + 8 * shift,
        )  # fmt: skip

    def control(self, label, what):
        """Do something with the input beside a label; `what` is JavaScript that knows it as `it`."""
        script = """(() => {
            const own = e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
            let e = [...document.querySelectorAll('label, div, p, span')].find(e => own(e) === %s);
            while (e && !e.querySelector('input')) e = e.parentElement;
            if (!e) return false;
            const inputs = e.querySelectorAll('input');
            const it = inputs[inputs.length - 1];
            %s
            return it.value ?? ""})()"""
        found = self.run(script % (json.dumps(label), what))
        assert found is not False, f"no control {label!r}"
        return found

    def value(self, label):
        """Return the number in the field beside a label, NaN if there is none yet."""
        text = self.control(label, "")
        return float(text) if text else math.nan

    def check(self, label):
        """Click the box beside a label."""
        self.control(label, "it.click();")

    def enter(self, label, value):
        """Type a number into the field beside a label."""
        script = """
            const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
            it.focus(); set.call(it, VALUE); it.dispatchEvent(new Event('input', {bubbles: true})); it.blur();
            """
        self.control(label, script.replace("VALUE", json.dumps(str(value))))

    def choose(self, label, option):
        """Choose from the list beside a label."""
        self.control(label, "it.focus(); it.click();")
        end = time.monotonic() + PATIENCE
        script = """(() => { const o = [...document.querySelectorAll('[role=option]')]
            .find(o => o.innerText.trim() === %s); if (!o) return false; o.click(); return true })()"""
        while not self.run(script % json.dumps(option)):
            assert time.monotonic() < end, f"no option {option!r} of {label!r}"
            time.sleep(0.1)

    def unfold(self, title):
        """Open or close a folder."""
        script = """(() => { const f = [...document.querySelectorAll('*')].filter(e => e.children.length < 3
            && e.innerText && e.innerText.trim() === %s).pop();
            if (!f) return false; f.click(); return true })()"""
        assert self.run(script % json.dumps(title)), f"no folder {title!r}"

    def text(self):
        return self.run("document.body.innerText")

    def wait_for(self, text):
        """Wait until a text stands on the page."""
        end = time.monotonic() + PATIENCE
        while text not in (self.text() or ""):
            assert time.monotonic() < end, f"{text!r} does not appear in {self.text()!r}"
            time.sleep(0.2)

    def wait_for_picture(self, is_good):
        """Take pictures until one is good or patience ends; return the last, PNG bytes."""
        end = time.monotonic() + PATIENCE
        image = self.screenshot()
        while not is_good(image) and time.monotonic() < end:
            time.sleep(0.5)
            image = self.screenshot()
        return image

    def screenshot(self):
        """Return what is seen, PNG bytes."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])


@contextlib.contextmanager
def opened(address, folder, size=(1280, 800), scale=1.0):
    """Open a page; its profile is kept in `folder`.

    scale: Pixels of the picture for one of `size`, in which places are given: without a GPU a page draws all
    the time, and half as many in each direction take a third less of the processors.
    """
    from websockets.sync.client import connect

    wide, high = size
    sizes = f"--window-size={wide},{high}", f"--force-device-scale-factor={scale}"
    command = [CHROMIUM, *FLAGS, *sizes, f"--user-data-dir={folder}", address]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with connect(_debugger(folder), max_size=None, ping_interval=None) as socket:  # it may be slow
            yield Page(socket)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def _debugger(folder):
    """Wait for the browser and return where its page can be spoken to."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(OSError, IndexError, StopIteration):
            port = (folder / "DevToolsActivePort").read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                pages = json.load(answer)
            return next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page")
        time.sleep(0.1)
    raise TimeoutError("Chromium did not start")
