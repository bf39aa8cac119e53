#!/usr/bin/env python3
"""The page of `./lab step --page`, used as a person uses it: headless Chromium, by Selenium.

    faults/explore/stepping/browser_test.py LAB

LAB is the program build-lab/tools/app/lab. Needs Debian's chromium, chromium-driver and python3-selenium;
.ci/run installs them.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "faults/testing"))
sys.dont_write_bytecode = True
import headless_browser


# A late DEL of stage 3: A is frozen behind its GET, and its lease ends.
LATE_DEL = ["A: begin", "A: send SET", "A: reply SET", "A: send READ", "A: reply READ",
            "A: send BEGIN", "A: reply BEGIN", "A: send WRITE", "A: reply WRITE", "A: send GET",
            "A: reply GET", "A: freeze", "time: to the end of the lease", "B: begin",
            "B: send SET", "B: reply SET", "A: thaw", "A: send DEL"]

# By how much the page is wider than the window, and the timeline than its box.
WIDER = """
const wider = ({scrollWidth, clientWidth}) => scrollWidth - clientWidth;
return [wider(document.documentElement), wider(document.getElementById('timeline'))];
"""


class StepPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser, _ = headless_browser.start(cls)

    def setUp(self):
        self.open()
        self.wait_for(lambda: "after step 0" in self.text("when"), "the beginning")

    def open(self, *options):
        self.lab = subprocess.Popen([LAB, *options, "step", "3", "--page"],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, self.lab)
        self.browser.get(re.search(r"http://[\d.:]+/", self.lab.stdout.readline()).group())

    @staticmethod
    def end(lab):
        lab.terminate()
        lab.wait(10)
        lab.stdout.close()

    def text(self, name):
        return self.browser.find_element(By.ID, name).text

    def wait_for(self, condition, what):
        WebDriverWait(self.browser, 10).until(lambda _: condition(), f"waited 10 s for {what}")

    def wait_for_step(self, number):
        self.wait_for(lambda: re.search(rf"after step {number}\b", self.text("when")),
                      f"step {number}")

    def press(self, key):
        ActionChains(self.browser).send_keys(key).perform()

    def click(self, label, place="events"):
        buttons = self.browser.find_elements(By.CSS_SELECTOR, f"#{place} button")
        next(button for button in buttons if label in button.text).click()

    def resize(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def walk(self, labels):
        for number, label in enumerate(labels, start=1):
            self.assertIn("nothing is broken", self.text("light"))
            self.click(label)
            self.wait_for_step(number)

    def test_clicks_lead_to_the_bug_of_stage_3(self):
        self.walk(LATE_DEL)
        self.assertEqual(self.text("light"), "broken: owner-only release")
        self.assertIn("A removed the lock that B had taken", self.text("broken"))
        self.assertIn("B: in work; it believes that it holds the lock", self.text("clients"))

    def test_is_usable_by_keyboard(self):
        self.press("1")
        self.wait_for_step(1)
        self.press(Keys.ENTER)
        self.wait_for_step(2)
        self.assertIn("set by A", self.text("keys"))
        self.press(Keys.BACKSPACE)
        self.wait_for_step(1)
        self.assertIn("nothing", self.text("keys"))
        self.press(Keys.HOME)
        self.wait_for_step(0)

    def test_the_tree_leads_back_to_a_branch(self):
        for number, label in enumerate(["A: begin", "A: send SET"], start=1):
            self.click(label)
            self.wait_for_step(number)
        self.press(Keys.BACKSPACE)
        self.wait_for_step(1)
        self.click("A: kill")
        self.wait_for_step(2)
        self.assertIn("A: dead", self.text("clients"))
        self.click("A: send SET", "tree")
        self.wait_for(lambda: "set by A" in self.text("keys"), "the other branch")
        here = self.browser.find_elements(By.CSS_SELECTOR, "#tree .here")
        self.assertEqual([one.text for one in here], ["A: send SET"])

    def test_can_be_read_from_afar(self):
        self.resize(1920)
        font = "return parseFloat(getComputedStyle(document.body).fontSize)"
        self.assertGreaterEqual(self.browser.execute_script(font), 22)

    def test_the_timeline_can_be_seen_whole(self):
        self.walk(LATE_DEL)
        for width in (390, 768, 1440, 1920):
            with self.subTest(width=width):
                self.resize(width)
                wide, cut = self.browser.execute_script(WIDER)
                self.assertLessEqual(wide, 0, "one has to scroll sideways")
                if width >= 1440:
                    self.assertLessEqual(cut, 0, "the server's lane is cut")

    def test_speaks_chinese(self):
        self.open("--lang", "zh")
        self.wait_for(lambda: "第 0 步之后" in self.text("when"), "the beginning")
        self.click("A：开始")
        self.wait_for(lambda: "第 1 步之后" in self.text("when"), "step 1")
        self.assertEqual(self.browser.find_element(By.TAG_NAME, "h3").text, "接下来可能发生什么")
        self.assertIn("A：开始", self.text("tree"))
        self.assertIn("A：正在 acquire", self.text("clients"))

    def test_says_that_lab_has_ended(self):
        self.lab.terminate()
        self.lab.wait(10)
        self.press("1")
        self.wait_for(lambda: self.text("error") == "./lab step has ended.", "a sentence")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    LAB = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
