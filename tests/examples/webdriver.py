"""Controls Chromium through chromedriver (W3C WebDriver) with the standard library only."""

import base64
import http.client
import json
import re
import shutil
import subprocess

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

# The visible texts with their boxes and colors; opacity is included in the color's alpha.
FIND_TEXTS = r"""
const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || element.closest("script, style, option") || !element.checkVisibility({checkVisibilityCSS: true})) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  let {left, top, right, bottom} = range.getBoundingClientRect();
  const boxes = [new DOMRect(0, 0, innerWidth, innerHeight)];
  for (let up = element; up; up = up.parentElement) if (getComputedStyle(up).overflow !== "visible") boxes.push(up.getBoundingClientRect());
  for (const box of boxes) {
    [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
    [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
  }
  const x = left, y = top, width = right - left, height = bottom - top;
  if (width < 2 || height < 2) continue;
  const style = getComputedStyle(element);
  const color = (element instanceof SVGElement ? style.fill : style.color).match(/[\d.]+/g).map(Number);
  let alpha = color[3] ?? 1;
  for (let up = element; up; up = up.parentElement) alpha *= Number(getComputedStyle(up).opacity);
  if (alpha > 0) texts.push({text: node.data.trim(), color: [...color.slice(0, 3), alpha], x, y, width, height});
}
return texts;
"""

MEASURE_CONTRAST = r"""
const [texts, picture, least, done] = arguments, image = new Image();
image.onload = () => {
  const canvas = document.createElement("canvas"), scale = image.width / innerWidth;
  canvas.width = image.width; canvas.height = image.height;
  const drawing = canvas.getContext("2d", {willReadFrequently: true});
  drawing.drawImage(image, 0, 0);
  const light = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const c = color[i] / 255;
    return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  }, 0);
  done(texts.map(({text, color, x, y, width, height}) => {
    const {data} = drawing.getImageData(x * scale, y * scale, Math.max(1, width * scale), Math.max(1, height * scale));
    const contrasts = [];
    for (let i = 0; i < data.length; i += 4) {
      const behind = [data[i], data[i + 1], data[i + 2]];
      const seen = behind.map((c, k) => c + (color[k] - c) * color[3]);
      const [low, high] = [light(behind), light(seen)].sort((a, b) => a - b);
      contrasts.push((high + 0.05) / (low + 0.05));
    }
    contrasts.sort((a, b) => a - b);
    return {text: `${text} at ${Math.round(x)},${Math.round(y)}`, contrast: contrasts[Math.floor(contrasts.length * 0.1)]};
  }).filter(({contrast}) => contrast < least).map(({text, contrast}) => `${text}: ${contrast.toFixed(2)}`));
};
image.src = "data:image/png;base64," + picture;
"""


def missing():
    """The required programs that are not installed."""
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    def __init__(self, log, width=1280, height=900):
        """Starts a headless Chromium; chromedriver logs to the file `log`."""
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError("chromedriver did not start")
        # Chromium cannot create its sandbox in a container; it only visits our own server.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-prefers-reduced-motion", "--no-first-run", f"--window-size={width},{height}"]
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"},
                   "timeouts": {"script": 180000}}
        self.session = ""
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
        text = json.dumps(body) if body is not None else ("{}" if method == "POST" else None)
        connection.request(method, self.session + path, text, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}")
        return value

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs a script and returns its value."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, what):
        """Waits up to two minutes until the expression is true."""
        script = ("const done = arguments[0], until = Date.now() + 120000; const look = () => "
                  f"({condition}) ? done(true) : Date.now() > until ? done(false) : setTimeout(look, 10); look();")
        if not self.call("POST", "/execute/async", {"script": script, "args": []}):
            raise AssertionError(f"timed out waiting for {what} ({condition})")

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def touch(self, selector):
        """Touches the middle of the element."""
        origin = {ELEMENT: self.find(selector)}
        moves = [{"type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0},
                 {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": moves}]})

    def press(self, key, held=None):
        """Presses a key, with the key `held` held down."""
        codes = {"Enter": "\ue007", "Backspace": "\ue003", "Tab": "\ue004", "Control": "\ue009", "End": "\ue010", "Home": "\ue011",
                 "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
        keys = [codes.get(name, name) for name in ([held] if held else []) + [key]]
        actions = [{"type": "keyDown", "value": name} for name in keys] + [{"type": "keyUp", "value": name} for name in reversed(keys)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click_at(self, selector, share):
        """Clicks at this share of the element's width."""
        x, y = self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [Math.round(box.left + arguments[1] * box.width), Math.round(box.top + box.height / 2)]", selector, share)
        moves = [{"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def clipboard(self):
        self.call("POST", "/goog/cdp/execute", {"cmd": "Browser.grantPermissions", "params": {"permissions": ["clipboardReadWrite"]}})
        return self.call("POST", "/execute/async", {"script": "navigator.clipboard.readText().then(arguments[0])", "args": []})

    def resize(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def poor_contrast(self, least=4.5):
        """Texts in the window whose contrast (WCAG 2.1) with nine tenths of the pixels behind them is not at least `least`."""
        # The page may still be moving, such as when an answer arrives: texts and picture must be of one layout.
        for _ in range(50):
            texts = self.run(FIND_TEXTS)
            self.run("document.head.insertAdjacentHTML('beforeend', '<style id=no-text>* { color: transparent !important; "
                     "caret-color: transparent !important } text { fill: transparent !important }</style>')")
            picture = self.call("GET", "/screenshot")
            self.run("document.getElementById('no-text').remove()")
            if self.run(FIND_TEXTS) == texts:
                return self.call("POST", "/execute/async", {"script": MEASURE_CONTRAST, "args": [texts, picture, least]})
        raise AssertionError("the page does not come to rest")

    def complaints(self):
        """The errors in the page's console."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
