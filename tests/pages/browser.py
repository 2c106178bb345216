"""A headless Chromium for the tests of pages, and what it sees of a page: messages, requests, labels, marks.

    with Browser() as browser:
        browser.open(path)                     # a file, or a URL of this machine
        browser.show(width=390, dark=True)     # in CSS pixels; a page may draw itself again
        browser.messages(), browser.requests() # of the console; over the network
        browser.overlaps(), browser.overflow() # labels on each other; what is wider than the screen
        browser.screenshot("run-390-dark")

Names that are not this machine's do not resolve, so a page that fetches something fails and is seen to try.
"""
import base64
import json
import os
import pathlib
import shutil
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

WIDTHS = (390, 1280, 1920)  # a phone, a laptop, a desk
HEIGHTS = {390: 844, 1280: 800, 1920: 1080}
SECONDS_MAX = 60
OWN_SCHEMES = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")

# Boxes of text that a reader sees: each `text` of an SVG, and each line of each text in HTML. What a scrolling box hides is cut off.
LABELS = """
const labels = [];
function clip(box, element) {
  let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
  for (let at = element; at && at !== document.body && at !== document.documentElement; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (at instanceof SVGElement ? at.tagName !== "svg" || style.overflow === "visible" : style.overflowX === "visible" && style.overflowY === "visible") continue;
    const frame = at.getBoundingClientRect();
    left = Math.max(left, frame.left); right = Math.min(right, frame.right);
    top = Math.max(top, frame.top); bottom = Math.min(bottom, frame.bottom);
  }
  return right > left && bottom > top ? {left, top, right, bottom} : null;
}
function add(text, rect, element, svg) {
  const box = clip(rect, element);
  if (box) labels.push({text, svg, left: box.left + scrollX, top: box.top + scrollY, right: box.right + scrollX, bottom: box.bottom + scrollY,
    cut: Math.max(box.left - rect.left, rect.right - box.right, box.top - rect.top, rect.bottom - box.bottom)});
}
function visible(element) {
  if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true, contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true})) return false;
  for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS" && !at.open && !element.closest("summary")) return false;
  return true;
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement, words = node.textContent.trim();
  if (!words || ["SCRIPT", "STYLE", "TITLE", "DESC", "NOSCRIPT", "OPTION"].includes(element.tagName.toUpperCase()) || !visible(element)) continue;
  const text = element.closest("text");
  if (text) {
    if (!seen.has(text)) add(text.textContent.trim(), text.getBoundingClientRect(), text, true);
    seen.add(text);
    continue;
  }
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const rect of range.getClientRects()) if (rect.width > 0 && rect.height > 0) add(words, rect, element, false);
}
return labels;
"""

# Redrawing waits for frames of the screen: after two of them a page has answered to a new width.
SETTLED = """
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
"""


def missing():
    """Why no page can be opened here; nothing where it can."""
    if webdriver is None:
        return "Python's selenium is not installed (python3-selenium)"
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return f"{program} is not installed ({package})"
    return None


class Browser:
    def __init__(self):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run", "--force-device-scale-factor=1",
                         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.profile = tempfile.mkdtemp(prefix="gauntlet-browser-")
        options.add_argument(f"--user-data-dir={self.profile}")
        try:
            self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        except Exception:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        self.driver.set_page_load_timeout(SECONDS_MAX)
        self.driver.set_script_timeout(SECONDS_MAX)
        self.width = 1280
        self.seen = []  # messages and requests that were read from the logs
        self.asked = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, place, width=1280, dark=False):
        """Opens a file, or a URL, as a screen of this width shows it. Messages and requests begin anew."""
        self._emulate(width, dark)
        self._read_logs()
        self.seen, self.asked = [], []
        text = str(place)
        self.driver.get(text if "://" in text else pathlib.Path(text).resolve().as_uri())
        self.settle()

    def show(self, width=None, dark=False):
        """The page that is open, on a screen of another width or in other colours."""
        self._emulate(width or self.width, dark)
        self.settle()

    def _emulate(self, width, dark):
        self.width = width
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHTS.get(width, 900), deviceScaleFactor=1,
                     mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def command(self, name, **arguments):
        """A command of Chrome's DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def settle(self):
        self.driver.execute_async_script(SETTLED)

    def run(self, script, *arguments):
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def count(self, selector):
        """How many elements of the page a CSS selector finds."""
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())", selector)

    def press(self, *keys):
        """Keys, to what has the focus: browser.press(Keys.TAB)."""
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def _read_logs(self):
        self.seen += [entry for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                params = message["params"]
                self.asked.append(params["url"] if "url" in params else params["request"]["url"])

    def messages(self):
        """Errors and warnings that the console has since the page was opened."""
        self._read_logs()
        return [entry["message"] for entry in self.seen if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """URLs that the page asked the network for since it was opened; a file that was opened is none."""
        self._read_logs()
        return [url for url in self.asked if not url.startswith(OWN_SCHEMES)]

    def labels(self):
        """{"text", "svg", "left", "top", "right", "bottom", "cut"} of all text in sight, in pixels of the page. `cut`: the pixels of it
        that a box around it hides."""
        return self.run(LABELS)

    def overlaps(self, slack=1.5):
        """Pairs of labels that lie on each other by more than `slack` pixels both across and down.

        Lines of a paragraph touch, since the box of a line is as high as its font says; so does no label of a chart."""
        labels, found = sorted(self.labels(), key=lambda label: label["top"]), []
        for i, one in enumerate(labels):
            for other in labels[i + 1:]:
                if other["top"] >= one["bottom"] - slack:
                    break
                across = min(one["right"], other["right"]) - max(one["left"], other["left"])
                down = min(one["bottom"], other["bottom"]) - other["top"]
                if across > slack and down > (slack if one["svg"] or other["svg"] else max(slack, 0.3 * (one["bottom"] - one["top"]))):
                    found.append((one["text"], other["text"]))
        return found

    def cut_labels(self):
        """Labels of charts that the edge of the chart cuts off."""
        return [label["text"] for label in self.labels() if label["svg"] and label["cut"] > 1.5]

    def overflow(self):
        """By how many pixels the page is wider than the screen."""
        return self.run("return Math.max(0, document.documentElement.scrollWidth - arguments[0])", self.width)

    def nodes(self):
        """How many nodes the page has."""
        return self.run("return document.getElementsByTagName('*').length")

    def pdf_pages(self):
        """How many sheets the page is, printed."""
        data = base64.b64decode(self.command("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        return data.count(b"/Type /Page\n") + data.count(b"/Type/Page/") + data.count(b"/Type /Page ")

    def screenshot(self, name):
        """Keeps the whole page as a picture for a person: in $SCREENSHOTS, if that is set."""
        folder = os.environ.get("SCREENSHOTS")
        if not folder:
            return None
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": self.width, "height": min(size["height"], 16000), "scale": 1})
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        path = pathlib.Path(folder) / f"{name}.png"
        path.write_bytes(base64.b64decode(shot["data"]))
        return path


class PageTest(unittest.TestCase):
    """Cases that open pages. All cases of a class share one browser."""

    browser: Browser

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if why := missing():
            if os.environ.get("CI"):
                raise AssertionError(f"{why}; run scripts/setup.sh")
            raise unittest.SkipTest(why)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def assert_sound(self, name, widths=WIDTHS):
        """The open page at all widths, light and dark: no message, no request, no label on another or cut off, nothing too wide."""
        for width in widths:
            for dark in (False, True):
                self.browser.show(width, dark)
                self.browser.screenshot(f"{name}-{width}-{'dark' if dark else 'light'}")
                with self.subTest(page=name, width=width, dark=dark):
                    self.assertEqual(self.browser.overlaps(), [], "labels on each other")
                    self.assertEqual(self.browser.cut_labels(), [], "labels that the edge of a chart cuts off")
                    self.assertEqual(self.browser.overflow(), 0, "pixels wider than the screen")
        self.assertEqual(self.browser.messages(), [], "messages of the console")
        self.assertEqual(self.browser.requests(), [], "requests over the network")
