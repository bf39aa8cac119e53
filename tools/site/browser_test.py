#!/usr/bin/env python3
"""The site, used as a person uses it: from the disk, in headless Chromium, at four sizes.

    tools/site/browser_test.py SITE

SITE is a folder that `./lab site` made. Needs Debian's chromium, chromium-driver and
python3-selenium.
"""
import os
import pathlib
import sys
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "faults/testing"))
sys.dont_write_bytecode = True
import headless_browser

SIZES = ((390, 844), (820, 1180), (1280, 800), (1920, 1080))
PAGES = ("index.html", "stage3_set_nx_px/index.html", "docs/index.html", "docs/redlock.html",
         "docs/scenarios.html", "docs/field-report.html")

# How much two colours differ for the eye (WCAG 2, "contrast ratio").
CONTRAST = """
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
    const c = part / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const [link] = document.querySelectorAll('.md-content article p a');
const [one, other] = [getComputedStyle(link).color, getComputedStyle(document.body).backgroundColor]
    .map(light).sort((a, b) => b - a);
return (one + 0.05) / (other + 0.05);
"""


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser, _ = headless_browser.start(cls)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def open(self, page, size=SIZES[2], scheme="light"):
        width, height = size
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get("about:blank")
        self.browser.get(f"file://{SITE}/{page}")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def search(self, words):
        field = self.browser.find_element(By.NAME, "query")
        self.js("arguments[0].focus()", field)
        field.send_keys(words)
        return [item.get_attribute("href")
                for item in self.browser.find_elements(By.CSS_SELECTOR, "#found a")]

    def test_nothing_is_wider_than_the_window(self):
        for size in SIZES:
            for page in PAGES:
                with self.subTest(page=page, size=size):
                    self.open(page, size)
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"),
                                         size[0])

    def test_links_can_be_read_in_both_schemes(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                self.open("docs/redlock.html", scheme=scheme)
                self.js("localStorage.clear()")  # the theme keeps what it chose first
                self.open("docs/redlock.html", scheme=scheme)
                self.assertEqual(self.js("return document.body.dataset.mdColorScheme"),
                                 {"light": "default", "dark": "slate"}[scheme])
                self.assertGreaterEqual(self.js(CONTRAST), 4.5)

    def test_every_picture_is_there(self):
        for page in PAGES:
            self.open(page)
            self.assertEqual(self.js(
                "return [...document.images].filter((one) => one.complete && !one.naturalWidth)"
                ".map((one) => one.src)"), [], page)

    def test_finds_a_chapter_and_opens_it(self):
        self.open("index.html")
        found = self.search("fencing token")
        self.assertTrue(any("docs/fencing.html" in address for address in found), found)
        self.browser.find_element(By.NAME, "query").send_keys(Keys.ENTER)
        self.assertIn(self.browser.current_url, found)

    def test_finds_every_word_or_nothing(self):
        self.open("index.html")
        self.assertEqual(self.search("watchdog xyzzy-nowhere"), [])

    def test_finds_chinese_without_blanks(self):
        self.open("index.html")
        self.assertNotEqual(self.search("看门狗"), [])

    def test_a_chinese_page_is_chinese_around_its_text(self):
        for page in ("README.zh.html", "docs/zh/redlock.html"):
            self.open(page)
            self.assertEqual(self.js("return document.documentElement.lang"), "zh-Hans", page)
            self.assertIn("目录", self.js("return [...document.querySelectorAll('nav')]"
                                        ".map((one) => one.ariaLabel)"), page)

    def test_shows_the_source_of_a_lock(self):
        self.open("docs/index.html")
        link = self.browser.find_element(By.LINK_TEXT, "examples.cpp")
        self.js("arguments[0].click()", link)
        self.assertIn("#include", self.js("return document.body.textContent"))

    def test_a_book_menu_leads_to_every_chapter(self):
        self.open("docs/index.html")
        there = set(self.js("return [...document.querySelectorAll('.md-nav--primary a[href]')]"
                            ".map((one) => one.href.split('/').pop().split('#')[0])"))
        chapters = {name for name in os.listdir(os.path.join(SITE, "docs"))
                    if name.endswith(".html") and name.count(".") == 1}
        self.assertEqual(chapters - there, set())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SITE = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
