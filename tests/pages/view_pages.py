"""What the tests of pages of `gauntlet view` share: pages, clicks, and what a canvas shows."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from browser import PageTest, webdriver  # noqa: E402

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 300
LARGE = "megascale-175b-12288"
VERMILLION = (0xd5, 0x5e, 0x00)  # of Okabe and Ito's palette, by which a page shows who is silent

# A copy of what a canvas shows: the page's own canvas is not made to be read.
COPY = """
const copyOf = canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = copy.getContext("2d", {willReadFrequently: true});
  pen.drawImage(canvas, 0, 0);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
};
"""

# The middle of all pixels of a canvas that have a colour, in pixels of its box, and how many they are.
MIDDLE = COPY + """
const [canvas, colour] = arguments, ratio = canvas.width / canvas.clientWidth;
const {data} = copyOf(canvas), xs = [], ys = [];
for (let i = 0; i < data.length; i += 4)
  if (colour.every((part, c) => data[i + c] === part)) { xs.push(i / 4 % canvas.width); ys.push(Math.floor(i / 4 / canvas.width)); }
const middle = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] / ratio;
return xs.length ? [middle(xs), middle(ys), xs.length] : null;
"""

# Of each cell or host, whether its middle is painted.
PAINTED = COPY + """
const [canvas, boxes] = arguments, ratio = canvas.width / canvas.clientWidth, pixels = copyOf(canvas);
return boxes.filter(([x, y, w, h]) => pixels.data[4 * (Math.floor((y + h / 2) * ratio) * pixels.width + Math.floor((x + w / 2) * ratio)) + 3] > 0).length;
"""


def gauntlet(*words, code=0):
    done = subprocess.run([GAUNTLET, *map(str, words)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    if done.returncode != code:
        raise AssertionError(f"gauntlet {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1])


def megatron_groups(sizes, along):
    """The rank groups of Megatron-LM: `generate_masked_orthogonal_rank_groups` of core/parallel_state.py, for parallel sizes of which the
    first changes fastest, along those that `along` marks."""
    strides = [1]
    for size in sizes:
        strides.append(strides[-1] * size)
    inside = [(size, stride) for size, stride, mark in zip(sizes, strides, along) if mark]
    outside = [(size, stride) for size, stride, mark in zip(sizes, strides, along) if not mark]

    def ranks(dimensions):
        found = [0]
        for size, stride in dimensions:
            found = [rank + i * stride for i in range(size) for rank in found]
        return found

    return [sorted(first + rank for rank in ranks(inside)) for first in ranks(outside)]


class ViewTest(PageTest):
    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gauntlet-view-")))

    def page(self, *words, name="view.html"):
        gauntlet("view", *words, "--out", self.place / name)
        return self.place / name

    def click(self, selector, x=None, y=None):
        """A click of the mouse on an element, or at a place in its box."""
        element = self.browser.driver.find_element("css selector", selector)
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", element)
        if x is not None:
            self.browser.run("scrollTo(0, arguments[0].getBoundingClientRect().top + scrollY + arguments[1] - innerHeight / 2)", element, y)
        box = self.browser.run("const box = arguments[0].getBoundingClientRect(); return [box.left, box.top, box.width, box.height]", element)
        at = (box[0] + (box[2] / 2 if x is None else x), box[1] + (box[3] / 2 if y is None else y))
        actions = webdriver.ActionChains(self.browser.driver)
        actions.w3c_actions.pointer_action.move_to_location(round(at[0]), round(at[1]))
        actions.w3c_actions.pointer_action.click()
        actions.perform()
        self.browser.settle()

    def silent_place(self):
        canvas = self.browser.driver.find_element("css selector", "#cube")
        return self.browser.run(MIDDLE, canvas, list(VERMILLION))

    def assert_drawn(self):
        """A mark for every rank and every host."""
        for canvas, boxes, count in (("#cube", "Array.from({length: ranksOf(whole)}, (_, rank) => cubeBox(rank, page.shapes.cube))", "ranksOf(whole)"),
                                     ("#hosts", "page.shapes.hosts.places.map(([x, y]) => [x, y, page.shapes.hosts.size, page.shapes.hosts.size])", "view.job_hosts + view.spares")):
            element = self.browser.driver.find_element("css selector", canvas)
            self.assertEqual(self.browser.run(PAINTED, element, self.browser.run(f"return {boxes}")), self.browser.run(f"return {count}"), canvas)
