"""The browser of the page tests sees what is wrong with a page."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import PageTest  # noqa: E402

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><style>body {{ margin: 8px }} @media (prefers-color-scheme: dark) {{ p {{ color: red }} }}</style></head>
<body><p>one line of words that is long enough to be broken on the screen of a phone, so that it has several boxes</p>{}</body></html>"""


class BrowserTest(PageTest):
    def show(self, body, width=1280, dark=False):
        place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (place / "page.html").write_text(PAGE.format(body), encoding="utf-8")
        self.browser.open(place / "page.html", width, dark)
        return self.browser

    def test_a_sound_page(self):
        self.show('<svg width="200" height="60"><text x="10" y="20">above</text><text x="10" y="45">below</text></svg>'
                  "<details><summary>Table</summary><p>hidden</p></details>")
        self.assert_sound("browser_test")
        self.assertNotIn("hidden", [label["text"] for label in self.browser.labels()])
        self.assertGreater(len([label for label in self.browser.labels() if label["text"].startswith("one line")]), 0)

    def test_labels_on_each_other(self):
        browser = self.show('<svg width="200" height="60"><text x="10" y="20">above</text><text x="30" y="26">below</text></svg>')
        self.assertEqual(browser.overlaps(), [("above", "below")])
        browser = self.show('<div style="position:absolute;top:100px">first</div><div style="position:absolute;top:102px">second</div>')
        self.assertEqual(browser.overlaps(), [("first", "second")])

    def test_labels_that_are_cut_off(self):
        browser = self.show('<svg width="60" height="60"><text x="10" y="20">much too long for it</text></svg>')
        self.assertEqual(browser.cut_labels(), ["much too long for it"])

    def test_a_page_that_is_too_wide(self):
        browser = self.show('<div style="width:500px">wide</div>', width=390)
        self.assertGreater(browser.overflow(), 100)
        self.assertEqual(self.show('<div style="overflow-x:auto"><div style="width:500px">wide</div></div>', width=390).overflow(), 0)

    def test_messages_and_requests(self):
        browser = self.show('<script>console.error("told you"); nothing_here();</script><img src="http://pages.example/a.png">')
        self.assertTrue(any("told you" in message for message in browser.messages()), browser.messages())
        self.assertTrue(any("nothing_here" in message for message in browser.messages()), browser.messages())
        self.assertEqual(browser.requests(), ["http://pages.example/a.png"])
        self.assertEqual(self.show("").requests(), [], "they begin anew")
        self.assertEqual(browser.messages(), [])

    def test_colours(self):
        colour = "return getComputedStyle(document.querySelector('p')).color"
        self.assertEqual(self.show("", dark=True).run(colour), "rgb(255, 0, 0)")
        self.assertEqual(self.show("", dark=False).run(colour), "rgb(0, 0, 0)")

    def test_print(self):
        self.assertEqual(self.show('<div style="break-after:page">a</div>b').pdf_pages(), 2)


if __name__ == "__main__":
    unittest.main()
