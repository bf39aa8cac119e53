#!/usr/bin/env python3
"""The field report's HTML page, used as a person uses it, in headless Chromium.

    tools/field/browser_test.py LAB

LAB is the program build-lab/tools/app/lab. Needs Debian's chromium, chromium-driver and
python3-selenium.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "faults/testing"))
sys.dont_write_bytecode = True
import headless_browser

DATA = pathlib.Path(__file__).parents[2] / "docs" / "field-report.json"


class FieldPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = json.loads(DATA.read_text())
        cls.browser, directory = headless_browser.start(cls)
        cls.page = os.path.join(directory, "page.html")
        subprocess.run([LAB, "field", "run", "--from", DATA, "--html", cls.page], check=True)

    def setUp(self):
        self.open("")

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def open(self, where):
        self.browser.get("about:blank")
        self.browser.get(f"file://{self.page}{where}")

    def find(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def shown(self):
        return [button.text for button in self.find("tr.lock button")]

    def named(self, is_wanted):
        """Locks, and variants that alone have what is wanted."""
        locks = {lock["name"]: lock for lock in self.data["locks"]}

        def is_shown(lock):
            base = locks[lock["name"].split("/")[0]]
            return is_wanted(lock) and (lock is base or not is_wanted(base))
        return sorted(name for name, lock in locks.items() if is_shown(lock))

    def choose(self, name):
        self.find(f"[name={name}]")[0].click()

    def test_shows_each_lock(self):
        self.assertEqual(sorted(self.shown()), self.named(lambda lock: True))
        self.choose("variants")
        self.assertEqual(len(self.shown()), len(self.data["locks"]))

    def test_filters(self):
        self.choose("renews")
        self.assertEqual(sorted(self.shown()), self.named(lambda lock: lock["renews"]))
        self.choose("tells")
        both = self.named(lambda lock: lock["renews"] and lock["tells"] != "never")
        self.assertEqual(sorted(self.shown()), both)
        Select(self.find("[name=server]")[0]).select_by_value("zookeeper")
        self.assertEqual(self.shown(), ["curator", "zookeeper"])
        Select(self.find("[name=language]")[0]).select_by_value("php")
        self.assertEqual(self.shown(), [])
        self.assertEqual(self.find("#count")[0].text, "No lock is like that.")

    def test_a_filter_finds_variants_that_alone_have_it(self):
        self.choose("fencing")
        self.assertIn("etcd/fencing", self.shown())
        self.assertNotIn("zookeeper", self.shown())

    def test_searches(self):
        self.find("[name=search]")[0].send_keys("/lock, RedisStore")
        self.assertEqual(self.shown(), ["symfony-lock"])

    def test_a_name_opens_what_is_behind_it(self):
        name = next(lock["name"] for lock in self.data["locks"] if lock["name"] == "redis-py")
        next(button for button in self.find("tr.lock button") if button.text == name).click()
        self.assert_open(name)
        self.find("tr.lock button[aria-expanded=true]")[0].click()
        self.assertEqual(self.find("tr.open"), [])

    def test_an_address_opens_a_lock(self):
        variant = next(lock["name"] for lock in self.data["locks"] if "/" in lock["name"])
        self.open(f"#{variant}")
        self.assert_open(variant)
        self.open("#%")
        self.assertEqual(self.find("tr.open"), [])

    def assert_open(self, name):
        column = [lock["name"] for lock in self.data["locks"]].index(name)
        cells = [row["cells"][column] for row in self.data["rows"]]
        red = [cell for cell in cells if "sentence" in cell]
        self.assertEqual(len(self.find("tr.open .red > li")), len(red))
        self.assertEqual(len(self.find("tr.open .cells > li")), len(cells))
        timelines = self.browser.execute_script(
            "return [...document.querySelectorAll('tr.open pre')].map((pre) => pre.textContent)")
        self.assertEqual(timelines, [cell["timeline"] for cell in red])
        for promise in self.data["locks"][column]["promises"]:
            self.assertIn(promise["says"], self.find("tr.open")[0].text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    LAB = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
