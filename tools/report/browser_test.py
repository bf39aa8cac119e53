#!/usr/bin/env python3
"""The page, used as a person uses it, in a real browser: headless Chromium, driven by Selenium.

    tools/report/browser_test.py LAB RUNS

LAB is the program build-lab/tools/app/lab; RUNS what a `./lab table` or `./lab report` left below runs/.
Needs Debian's chromium, chromium-driver and python3-selenium; .ci/run installs them.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

EVIL = "<script>alert(1)</script>"
FLAGS = ["--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-ipc-flooding-protection"]  # it opens two hundred cells in seconds

# From a phone's to a projector's.
WIDTHS = (390, 768, 1024, 1280, 1440, 1920)

# A late DEL of stage 3: A is frozen behind its GET, and its lease ends.
DEAD_HOLDER = ["A: begin", "A: send SETNX", "A: kill", "B: begin", "B: send SETNX",
               "B: reply SETNX"]

# Opens a cell by its place, waits until its timeline is drawn, and returns the elements that are
# there and those that should be. After five seconds it looks at whatever is there.
OPEN_CELL = """
const [where, done] = arguments;
const [stage, scenario] = where.split('/');
const column = data.stages.findIndex(({name}) => name === stage);
const row = data.scenarios.findIndex(({name}) => name === scenario);
const cell = cellAt(row, column);
const told = cell.executions[cell.shown];
const heading = () => (dialog.querySelector('h2') || {textContent: ''}).textContent;
const deadline = performance.now() + 5000;
const whenShown = (then) => requestAnimationFrame(() => {
  const shown = heading() === `${stage} · ${scenario}` && dialog.querySelector('.drawing');
  if (shown || performance.now() > deadline) then(); else whenShown(then);
});
document.querySelector(`[data-where="${where}"]`).click();
whenShown(() => {
  const count = (name) => dialog.querySelectorAll(`.drawing ${name}`).length;
  const texts = [...dialog.querySelectorAll('.drawing text')].map((text) => {
    const {x, y, width, height} = text.getBBox();
    return {x, right: x + width, y: Math.round(y + height / 2), text: text.textContent};
  });
  texts.sort((a, b) => a.y - b.y || a.x - b.x);
  const overlap = texts.find((text, i) => i > 0 && texts[i - 1].y === text.y &&
                                          texts[i - 1].right > text.x + 1);
  const svg = dialog.querySelector('.drawing');
  done({
    open: dialog.open, heading: heading(), wide: dialog.scrollWidth - window.innerWidth,
    overlap: overlap ? overlap.text : null,
    outside: texts.filter(({right}) => right > svg.clientWidth + 1).map(({text}) => text),
    seen: [count('.lane'), count('.fault'), count('.collision'), count('.event.collided') > 0,
           count('.bar'), count('.event'), count('.still')],
    wanted: [told.lanes.length, told.lines.filter(([, fault]) => fault).length,
             told.collisions.length, told.collisions.length > 0, told.bars.length,
             told.lines.flatMap(([, fault, said]) => fault ? [] : said).length, told.still.length],
    font: svg ? parseFloat(getComputedStyle(svg).fontSize) : 0,
    unsaid: told.lines.filter(([, fault]) => fault && !dialog.querySelector('pre.text')
        .textContent.includes(fault)).length,
  });
});
"""

# The texts of a selection that reach into another one, or out of the window.
OVERLAPPING = """
const boxes = [...document.querySelectorAll(arguments[0])].map((text) =>
    ({text: text.textContent, box: text.getBoundingClientRect()}));
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
return boxes.filter(({box}, i) => box.right > window.innerWidth ||
    boxes.some(({box: other}, j) => i !== j && meet(box, other))).map(({text}) => text);
"""

# Headers with a word that is broken, or that reaches out of its cell.
BROKEN_HEADERS = r"""
const isBroken = (node) => [...node.data.matchAll(/[^\s_\/-]+/g)].some((word) => {
  const range = document.createRange();
  range.setStart(node, word.index);
  range.setEnd(node, word.index + word[0].length);
  return range.getClientRects().length > 1;
});
const textsIn = (node) => node.nodeType === Node.TEXT_NODE ? [node] :
    [...node.childNodes].flatMap(textsIn);
return [...document.querySelectorAll('th, h1, h2, h3')].filter((header) =>
    header.scrollWidth > header.clientWidth || textsIn(header).some(isBroken))
    .map(({textContent}) => textContent);
"""

SMALL_TEXTS = """
const hasText = ({childNodes}) => [...childNodes].some((node) =>
    node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
return [...document.body.querySelectorAll('*:not(script)')].filter((element) =>
    hasText(element) && parseFloat(getComputedStyle(element).fontSize) < 12)
    .map(({textContent}) => textContent);
"""


def contrast(one, other):
    """WCAG's contrast of two colours like #1257b8."""
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def make_page(out, *arguments):
    subprocess.run([LAB, "report", "--out", out, *arguments], check=True, stdout=subprocess.DEVNULL)
    return out


def doctor_a_run(runs, directory):
    """A copy of the run of stage 4 under slow_holder, in which client A's name is a script."""
    source = next(pathlib.Path(runs).glob("*-stage4_lua_release-slow_holder"))
    run = pathlib.Path(directory) / "doctored"
    shutil.copytree(source, run)
    history = run / "1" / "history.jsonl"
    events = [json.loads(line) for line in history.read_text().splitlines()]
    for event in events:
        event["lane"] = EVIL if event["lane"] == "A" else event["lane"]
    history.write_text("".join(json.dumps(event) + "\n" for event in events))
    return run


def write_bench(directory):
    """A benchmark's results as far as the page reads them."""
    rows = [{"run_name": "uncontended/stage1/tcp/free", "p50_us": 120, "p99_us": 200},
            {"run_name": "quorum/nodes5/stage7", "p50_us": 260, "p99_us": 500},
            {"run_name": "contended/held1ms_pause5ms/stage7/own", "handoff_p50_us": 800,
             "handoff_p99_us": 60000}]
    file = pathlib.Path(directory) / "results.json"
    file.write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": rows}))
    return file


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="lab-browser-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.page = make_page(os.path.join(cls.directory, "report.html"), "--from", RUNS,
                             "--runs", os.path.join(cls.directory, "no_bench"))
        cls.doctored = make_page(os.path.join(cls.directory, "doctored.html"),
                                 "--from", doctor_a_run(RUNS, cls.directory),
                                 "--bench", write_bench(cls.directory))
        options = Options()
        options.binary_location = shutil.which("chromium")
        profile = os.path.join(cls.directory, "profile")
        root = ["--no-sandbox"] if os.getuid() == 0 else []
        for flag in FLAGS + root + [f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(shutil.which("chromedriver")),
                                       options=options)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.execute_cdp_cmd("Network.enable", {})
        cls.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def setUp(self):
        self.resize(1920, 1080)
        self.prefer("light")
        self.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [], "the console has something to say")

    def open(self, page, where=""):
        self.browser.get("about:blank")
        self.browser.get(f"file://{page}{where}")

    def resize(self, width, height):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def prefer(self, theme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def wait_for(self, script, what):
        WebDriverWait(self.browser, 10).until(lambda _: self.js(f"return {script}"), what)

    def is_open(self):
        return self.js("return dialog.open")

    def focused(self):
        return self.js("return document.activeElement.dataset.where || null")

    def test_is_small_and_loads_nothing(self):
        self.assertLess(os.path.getsize(self.page), 2_000_000)
        self.assertEqual(self.js("return performance.getEntriesByType('resource').length"), 0)
        self.assertIn("What survives what", self.browser.title)

    def test_says_in_a_sentence_what_it_is_about(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_at(width, self.page)
                purpose = self.browser.find_element(By.ID, "purpose")
                self.assertRegex(purpose.text, r"\A[A-Z][^.]*\.\Z", "one sentence")
                for word in ("lock", "computers", "column", "row", "red cell"):
                    self.assertIn(word, purpose.text)
                self.assertLess(purpose.rect["y"] + purpose.rect["height"], 450, "at the top")

    def test_every_cell_opens_its_timeline(self):
        places = self.js(
            "return [...document.querySelectorAll('.cell')].map((cell) => cell.dataset.where)")
        self.assertGreater(len(places), 200)
        for width in (1920, 1280):
            self.resize(width, 1080)
            for where in places:
                with self.subTest(where, width=width):
                    seen = self.browser.execute_async_script(OPEN_CELL, where)
                    self.assertTrue(seen["open"])
                    self.assertEqual(seen["heading"], where.replace("/", " · "))
                    self.assertEqual(seen["seen"], seen["wanted"])
                    self.assertEqual(seen["unsaid"], 0, "a fault is missing in the text")
                    self.assertIsNone(seen["overlap"], "text over text")
                    self.assertEqual(seen["outside"], [], "text outside the drawing")
                    self.assertLessEqual(seen["wide"], 0, "one has to scroll sideways")
                    self.assertGreaterEqual(seen["font"], 16 if width < 1700 else 18)

    def test_a_click_opens_a_cell_and_the_button_closes_it(self):
        self.browser.find_element(By.CSS_SELECTOR, ".cell.violated").click()
        self.wait_for("dialog.open", "a click to open the cell")
        self.browser.find_element(By.CSS_SELECTOR, "#cell-dialog .close").click()
        self.assertFalse(self.is_open())

    def test_is_usable_by_keyboard(self):
        self.js("document.getElementById('theme').focus()")
        self.press(Keys.TAB)
        first = self.focused()
        self.assertEqual(first, "stage1_setnx/killed_holder")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        here = self.focused()
        self.assertEqual(here, "stage2_expire/killed_mid_acquire")
        self.press(Keys.ENTER)
        self.wait_for("dialog.open", "Enter to open the cell")
        self.js("dialog.querySelector('.event').focus()")
        self.press(Keys.ARROW_DOWN)
        self.assertRegex(self.js("return tip.hidden ? '' : tip.textContent"), r"^\d+\.\d{3} ms  ")
        self.press(Keys.ESCAPE)
        self.wait_for("!dialog.open", "Esc to close the cell")
        self.assertEqual(self.focused(), here)

    def test_shows_the_whole_message_on_hover(self):
        self.open(self.page, "#stage4_lua_release/slow_holder")
        event = self.browser.find_element(By.CSS_SELECTOR, ".event.command")
        ActionChains(self.browser).move_to_element(event).perform()
        self.wait_for("!tip.hidden", "the message to be shown")
        self.assertRegex(self.js("return tip.textContent"), "A → redis: SET lock .* PX 300")

    def test_an_address_leads_to_a_cell_and_to_a_diff(self):
        self.open(self.page, "#stage4_lua_release/slow_holder")
        self.assertIn("slow_holder", self.js("return dialog.textContent"))
        self.browser.find_element(By.CSS_SELECTOR, ".cell-dialog-foot a").click()
        self.wait_for("!dialog.open", "the cell to close")
        diff = self.browser.find_element(By.ID, "diff-stage4_lua_release")
        self.assertIn("+// Stage 4", diff.text)

    def test_a_red_cell_of_another_lock_opens_what_is_told_of_it(self):
        button = self.browser.find_element(By.CSS_SELECTOR, ".field-cell")
        where = button.get_attribute("data-where")
        button.click()
        self.wait_for("dialog.open", "the cell to open")
        _, lock, scenario = where.split(":")
        self.assertEqual(self.js("return dialog.querySelector('h2').textContent"),
                         f"{lock} · {scenario}")
        self.assertIn(f"./lab run {lock} {scenario}", self.js("return dialog.textContent"))
        self.press(Keys.ESCAPE)
        self.wait_for("!dialog.open", "Esc to close it")
        self.assertEqual(self.focused(), where)

    def test_an_address_that_cannot_be_read_leads_nowhere(self):
        self.open(self.page, "#%")
        self.assertFalse(self.is_open())
        self.assertGreater(len(self.browser.find_elements(By.CSS_SELECTOR, ".cell")), 200)

    def test_a_comment_that_was_taken_out_is_a_line_taken_out(self):
        self.open(self.page, "#diff-stage7_redlock")
        self.wait_for("document.querySelector('#diff-stage7_redlock .diff') !== null", "the diff")
        dashes = self.js("""
            return [...document.querySelectorAll('#diff-stage7_redlock .diff')].map((file) =>
                [...file.children].filter(({textContent}) => textContent.startsWith('---'))
                    .map(({className}) => className))""")
        for first, *others in dashes:
            self.assertEqual(first, "line file")
            self.assertEqual(set(others) - {"line del"}, set())
        self.assertGreater(sum(len(file) - 1 for file in dashes), 0, "such a line is there")

    def test_a_sweep_can_be_seen_at_each_boundary(self):
        self.open(self.page, "#stage3_set_nx_px/frozen_mid_release")
        before = self.js("return dialog.querySelector('.verdict').textContent")
        choice = self.browser.find_element(By.ID, "boundary")
        for option in choice.find_elements(By.TAG_NAME, "option"):
            if option.text.startswith("✓"):
                option.click()
                break
        self.assertNotEqual(self.js("return dialog.querySelector('.verdict').textContent"), before)

    def test_the_neighbour_stage_is_a_button_away(self):
        self.open(self.page, "#stage4_lua_release/slow_holder")
        self.browser.find_elements(By.CSS_SELECTOR, ".cell-dialog-head button")[1].click()
        self.wait_for("dialog.textContent.includes('stage5_watchdog')", "the next stage's cell")

    def test_both_themes_can_be_read(self):
        for theme in ("light", "dark"):
            self.prefer(theme)
            self.open(self.page)
            self.assertEqual(self.js("return document.documentElement.dataset.theme"), theme)
            colour = lambda name: self.js(
                "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])",
                f"--{name}").strip()
            pairs = [("text", "page"), ("quiet", "page"), ("quiet", "raised"), ("link", "page"),
                     ("red", "page"), ("red", "red-fill"), ("green", "page"),
                     ("green", "green-fill"), ("amber", "amber-fill"), ("on-red", "red"),
                     ("quiet", "still"), ("quiet", "gone"), ("text", "still"), ("text", "gone")]
            pairs += [("on-lane", f"lane-{i}") for i in range(5)]
            for one, other in pairs:
                self.assertGreaterEqual(contrast(colour(one), colour(other)), 4.5,
                                        f"{one} on {other}, {theme}")
        self.browser.find_element(By.ID, "theme").click()
        self.assertEqual(self.js("return document.documentElement.dataset.theme"), "light")

    def open_at(self, width, page):
        self.resize(width, 900)
        self.open(page)

    def test_nothing_is_wider_than_the_window(self):
        widest = "return Math.max(document.documentElement.scrollWidth, dialog.scrollWidth)"
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_at(width, self.page)
                self.js("document.querySelectorAll('details').forEach((one) => "
                        "{ one.open = true; })")
                self.assertLessEqual(self.js(widest), width)
                for cell in (".cell.violated", ".field-cell"):
                    self.js("document.querySelector(arguments[0]).click()", cell)
                    self.wait_for("dialog.open", "the cell to open")
                    self.assertLessEqual(self.js(widest), width, cell)
                    self.js("dialog.close()")
                    self.wait_for(f"document.activeElement.matches('{cell}')", "it to close")

    def test_every_text_is_big_enough(self):
        body = "return parseFloat(getComputedStyle(document.body).fontSize)"
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_at(width, self.doctored)
                self.assertEqual(self.js(SMALL_TEXTS), [])
                self.assertGreaterEqual(self.js(body), 16 if width < 1000 else 18)

    def test_headers_break_between_words(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_at(width, self.page)
                self.assertEqual(self.js(BROKEN_HEADERS), [])

    def test_the_chart_has_room_for_its_words(self):
        words = ".chart .panel, .chart .unit, .chart .stage, .chart .tick text:not(:empty)"
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_at(width, self.doctored)
                self.assertEqual(self.js(OVERLAPPING, words), [])

    def test_the_price_stands_beside_the_safety(self):
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".chart .figure")), 3)
        self.assertIn("./lab bench", self.browser.find_element(By.ID, "measured").text)
        self.open(self.doctored)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".chart .figure")), 5)
        self.assertEqual(self.js("return document.querySelectorAll('.chart .whisker').length"), 3)

    def walk(self, labels):
        for label in labels:
            self.assertIn("nothing is broken", self.text("light"))
            buttons = self.browser.find_elements(By.CSS_SELECTOR, "#events button")
            next(button for button in buttons if label in button.text).click()

    def text(self, name):
        return self.browser.find_element(By.ID, name).text

    def choose_tree(self, name):
        self.open(self.page, "#walk")
        Select(self.browser.find_element(By.ID, "tree-choice")).select_by_visible_text(name)

    def test_walks_to_the_bug_of_stage_2(self):
        self.choose_tree("stage2_expire: kill")
        self.walk(DEAD_HOLDER)
        self.assertEqual(self.text("light"), "broken: liveness")
        self.assertIn("was never freed", self.text("broken"))
        self.browser.find_element(By.ID, "back").click()
        self.assertIn("nothing is broken", self.text("light"))
        self.assertIn("set by A", self.text("keys"))

    def test_a_walk_is_usable_by_keyboard(self):
        self.choose_tree("stage2_expire: kill")
        self.browser.find_element(By.CSS_SELECTOR, "#events button").send_keys("1")
        self.assertIn("after step 1", self.text("when"))
        ActionChains(self.browser).send_keys("1").perform()
        self.assertIn("set by A", self.text("keys"))
        ActionChains(self.browser).send_keys(Keys.BACKSPACE).perform()
        self.assertIn("after step 1", self.text("when"))
        self.walk(["A: kill"])
        self.assertIn("A: dead", self.text("clients"))
        tried = self.browser.find_elements(By.CSS_SELECTOR, "#tree button")
        self.assertEqual([one.text for one in tried],
                         ["the beginning", "A: begin", "A: send SETNX", "A: kill"])

    def test_a_name_stays_text(self):
        self.open(self.doctored)
        scripts = self.js("return document.scripts.length")
        self.open(self.doctored, "#stage4_lua_release/slow_holder")
        names = self.browser.find_elements(By.CSS_SELECTOR, ".drawing .name")
        self.assertIn(EVIL, [name.text for name in names])
        self.assertIn(EVIL, self.js("return dialog.querySelector('pre.text').textContent"))
        self.assertEqual(self.js("return document.scripts.length"), scripts)
        self.assertEqual(scripts, 3)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    LAB, RUNS = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
