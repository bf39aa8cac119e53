#!/usr/bin/env python3
"""The page, used as a person uses it, in a real browser: headless Chromium, driven by Selenium.

    tools/report/browser_test.py LAB RUNS

LAB is the program build-lab/tools/app/lab; RUNS what a `./lab table` or `./lab report` left below runs/.
Needs Debian's chromium, chromium-driver and python3-selenium; .ci/run installs them.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "faults/testing"))
sys.dont_write_bytecode = True
import headless_browser

EVIL = "<script>alert(1)</script>"

# From a phone's to a projector's.
WIDTHS = (390, 768, 1024, 1280, 1440, 1920)

TREES = pathlib.Path(__file__).parent / "trees"

# The shortest way to break stage 2 by a death: A dies before its lock has a lease.
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

# Texts with two English words in a row: not code, the words of the protocol in lanes, names and
# commands, or what other projects say of their locks.
ENGLISH_TEXTS = r"""
const isLeft = (element) => element.closest(
    'script, style, noscript, code, pre, .drawing .event, .drawing .name, ' +
    '#field, #events, #tree, option');
const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
  const text = node.data.replace(/\.\/lab [a-z ]*|（[^）]*）|"[^"]*"/g, '');
  if (!isLeft(node.parentElement) && /[a-z]{2,} [a-z]{2,}/.test(text)) found.push(node.data);
}
return found;
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


def orders_of(file):
    """Each order of a level: its labels, until a property is broken, and whether one is."""
    tree = json.loads(file.read_text())
    orders = []
    begun = [(len(tree["nodes"]) - 1, [], 0)]
    while begun:
        node, steps, broken_at = begun.pop()
        _, _, broken, *following = tree["nodes"][node]
        if broken >= 0 and not broken_at:
            broken_at = len(steps)
        if not following:
            orders.append((steps[:broken_at] if broken_at else steps, broken_at > 0))
        begun += [(after, [*steps, tree["labels"][label][0]], broken_at)
                  for label, after in zip(following[::2], following[1::2])]
    return orders


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
        cls.browser, cls.directory = headless_browser.start(
            cls, "--disable-ipc-flooding-protection")  # it opens two hundred cells in seconds
        cls.page = make_page(os.path.join(cls.directory, "report.html"), "--from", RUNS,
                             "--runs", os.path.join(cls.directory, "no_bench"))
        cls.doctored = make_page(os.path.join(cls.directory, "doctored.html"),
                                 "--from", doctor_a_run(RUNS, cls.directory),
                                 "--bench", write_bench(cls.directory))
        cls.hidden = make_page(os.path.join(cls.directory, "hidden.html"), "--from", RUNS,
                               "--runs", os.path.join(cls.directory, "no_bench"),
                               "--hide-verdicts")
        cls.chinese = make_page(os.path.join(cls.directory, "chinese.html"), "--from", RUNS,
                                "--runs", os.path.join(cls.directory, "no_bench"), "--lang", "zh")
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
        levels = self.js("return JSON.stringify(data.trees).length")
        self.assertLess(os.path.getsize(self.page) - levels, 2_000_000)
        self.assertLess(levels, 2_000_000)
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
        by_default = "( --default-lease --time virtual)?"
        self.assertRegex(self.js("return dialog.textContent"),
                         f"./lab run {lock}{by_default} {scenario}")
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
                     ("red", "page"), ("red", "red-fill"), ("red", "green-fill"), ("red", "raised"),
                     ("green", "page"), ("green", "red-fill"), ("text", "red-fill"),
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

    def test_hides_each_verdict_until_it_was_guessed(self):
        self.open(self.hidden)
        cells = self.js("return [...document.querySelectorAll('.cell')].map((cell) =>"
                        " [cell.textContent, cell.title, cell.className])")
        self.assertEqual({tuple(cell) for cell in cells}, {("?", "", "cell hidden")})
        self.assertFalse(self.browser.find_element(By.ID, "price").is_displayed())
        self.open(self.hidden, "#stage4_lua_release/slow_holder")
        self.assertNotIn("violated:", self.js("return dialog.textContent"))
        self.assertEqual(self.js("return dialog.querySelectorAll('.drawing').length"), 0)
        self.press(Keys.ENTER)  # the first button: it holds
        self.wait_for("dialog.querySelector('.drawing') !== null", "the timeline")
        self.assertIn('You said "holds": it came otherwise. 0 of 1 right',
                      self.js("return dialog.textContent"))
        shown = "[data-where='stage4_lua_release/slow_holder']"
        self.assertIn("violated", self.js(f'return document.querySelector("{shown}").className'))
        self.browser.find_elements(By.CSS_SELECTOR, ".cell-dialog-head button")[1].click()
        self.wait_for("dialog.textContent.includes('What will come of it?')", "the next question")

    def test_the_price_stands_beside_the_safety(self):
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".chart .figure")), 3)
        self.assertIn("./lab bench", self.browser.find_element(By.ID, "measured").text)
        self.open(self.doctored)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".chart .figure")), 5)
        self.assertEqual(self.js("return document.querySelectorAll('.chart .whisker').length"), 3)

    def text(self, name):
        return self.browser.find_element(By.ID, name).text

    def choose_level(self, stage, fault):
        self.open(self.page, f"#play/{stage}/{fault}")

    def choices(self):
        return self.js("return [...document.querySelectorAll('#events button')].map((button) =>"
                       " button.textContent)")

    def play(self, labels):
        """By the number keys; the focus is in the play."""
        for label in labels:
            number = next(i for i, choice in enumerate(self.choices(), 1)
                          if choice.removesuffix(" (a fault)") == f"{i} {label}")
            self.press(str(number))

    def begin_by_keyboard(self, stage, fault):
        self.choose_level(stage, fault)
        self.js("document.getElementById('play').focus()")

    def strip(self):
        """Of each step: how many ways hold, and how many break."""
        texts = self.js("return [...document.querySelectorAll('#timeline .ways')].map((cell) =>"
                        " cell.textContent)")
        return [tuple(int(number[1:]) for number in text.split()) for text in texts]

    def test_a_level_is_won_by_keyboard(self):
        self.begin_by_keyboard(2, "kill")
        self.assertIn("a client dies", self.text("play-goal"))
        self.assertIn("not spent", self.text("play-fault"))
        self.play(DEAD_HOLDER)
        self.assertEqual(self.text("light"), "broken: liveness")
        self.assertIn("was never freed", self.text("broken"))
        self.assertIn("set by A", self.text("keys"))
        self.assertEqual(self.text("play-verdict"), "Broken in 6 steps, and fewer are impossible.")
        self.assertIn("spent, in step 3", self.text("play-fault"))
        self.assertIn("✓ 6", self.text("play-faults"))

    def test_two_faults_are_counted(self):
        self.begin_by_keyboard(4, "lose-twice")
        self.assertIn("two faults to spend", self.text("play-goal"))
        self.assertEqual(self.text("play-fault"), "Neither of the two faults is spent.")
        order = next(order for order, _ in orders_of(TREES / "stage4-lose-twice.json")
                     if sum("lose" in step for step in order) == 2)
        self.play(order)
        steps = [str(i) for i, step in enumerate(order, 1) if "lose" in step]
        self.assertEqual(self.text("play-fault"),
                         f"2 of the two faults spent, in step {', '.join(steps)}.")

    def test_a_longer_way_is_counted_beside_the_shortest(self):
        longer = max((order for order, broken in orders_of(TREES / "stage2-kill.json") if broken),
                     key=len)
        self.assertGreater(len(longer), 6)
        self.begin_by_keyboard(2, "kill")
        self.play(longer)
        self.assertEqual(self.text("play-verdict"),
                         f"Broken. 6 is the shortest; you took {len(longer)}.")

    def test_the_strip_counts_every_way_on(self):
        orders = orders_of(TREES / "stage2-kill.json")
        longer = max((order for order, broken in orders if broken), key=len)
        counts = []
        for step in range(len(longer) + 1):
            after = [broken for order, broken in orders if order[:step] == longer[:step]]
            counts.append((after.count(False), after.count(True)))
        self.assertGreater(len(set(counts)), 5, "a strip that says something")
        self.begin_by_keyboard(2, "kill")
        self.play(longer)
        self.assertEqual(self.strip(), counts)
        step = next(i for i, (holds, _) in enumerate(counts) if holds == 0)
        self.assertTrue(self.text("play-return").startswith(
            f"After step {step} ({longer[step - 1]}) nothing could save it"))
        self.assertEqual(self.js("return document.querySelector('.no-return th').textContent"),
                         str(step))

    def test_the_command_replays_it_with_real_processes(self):
        self.choose_level(4, "freeze-work")
        self.js("document.getElementById('play').focus()")
        shortest = min((order for order, broken in orders_of(TREES / "stage4-freeze-work.json")
                        if broken), key=len)
        self.play(shortest)
        command = self.js("return document.getElementById('play-command').textContent")
        done = subprocess.run(["bash", "-c", command.replace("./lab", LAB, 1)], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("violated: ", done.stdout)
        found = self.text("play-return").rstrip(".")
        self.assertIn(found[0].lower() + found[1:], done.stdout, "a search looks back as well")

    def test_a_link_leads_to_the_same_moment(self):
        self.begin_by_keyboard(2, "kill")
        self.play(DEAD_HOLDER[:4])
        before = (self.text("when"), self.text("timeline"), self.text("clients"))
        address = self.js("return location.hash")
        self.assertEqual(self.js("return document.getElementById('play-link').hash"), address)
        self.open(self.page, address)
        self.assertEqual((self.text("when"), self.text("timeline"), self.text("clients")), before)
        self.open(self.page, f"{address}/A%3A%20send%20DEL")
        self.assertEqual(self.text("play-wrong"),
                         "Step 5 of the link, “A: send DEL”, cannot happen here.")
        self.assertEqual(self.text("timeline"), before[1])
        for wrong in ("#play/2/nothing", "#play/%/kill", "#play/2/kill/%"):
            self.open(self.page, wrong)
            self.assertIn("level" if "nothing" in wrong else "link", self.text("play-wrong"))

    def test_back_leads_to_another_branch(self):
        self.begin_by_keyboard(2, "kill")
        self.play(DEAD_HOLDER)
        self.press(Keys.BACKSPACE)
        self.assertIn("nothing is broken", self.text("light"))
        self.assertEqual(len(self.strip()), 6)
        self.assertTrue(self.js("return location.hash").endswith("/B%3A%20send%20SETNX"))
        self.press(Keys.HOME)
        self.play(["A: begin", "A: kill"])
        self.assertIn("A: dead", self.text("clients"))
        tried = self.js("return [...document.querySelectorAll('#tree button')].map((button) =>"
                        " button.textContent)")
        self.assertEqual(tried, ["the beginning", *DEAD_HOLDER, "A: kill"])
        self.browser.find_elements(By.CSS_SELECTOR, "#tree button")[len(DEAD_HOLDER)].click()
        self.assertEqual(self.text("light"), "broken: liveness")

    def test_a_run_that_holds_is_over(self):
        self.begin_by_keyboard(2, "kill")
        self.play(next(order for order, broken in orders_of(TREES / "stage2-kill.json")
                       if not broken))
        self.assertIn("the lock has held", self.text("play-verdict"))
        self.assertEqual(self.text("play-return"), "")

    def test_a_hint_counts_the_ways_of_each_choice(self):
        self.begin_by_keyboard(2, "kill")
        self.play(DEAD_HOLDER[:2])
        self.browser.find_element(By.ID, "play-hint").click()
        hinted = [choice for choice in self.choices() if "the shortest" in choice]
        self.assertEqual(len(hinted), 1)
        self.assertIn("A: kill", hinted[0])

    def test_a_level_that_cannot_be_won_names_what_breaks_the_lock(self):
        self.choose_level(4, "kill")
        self.assertIn("cannot be won: all 57 orders hold", self.text("play-goal"))
        self.choose_level(8, "kill")
        self.assertIn("cannot be won", self.text("play-goal"))
        others = self.browser.find_elements(By.CSS_SELECTOR, ".cannot button")
        self.assertEqual([other.text for other in others], ["fail-over"])
        others[0].click()
        self.assertEqual(self.js("return location.hash"), "#play/8/failover")
        self.assertNotIn("cannot be won", self.text("play-goal"))

    def test_a_run_can_be_read_at_each_size(self):
        order = max((order for order, broken in orders_of(TREES / "stage8-failover.json")
                     if broken), key=len)
        address = "#play/8/failover/" + "/".join(urllib.parse.quote(step, "") for step in order)
        for width in WIDTHS:
            with self.subTest(width=width):
                self.resize(width, 900)
                self.open(self.page, address)
                self.assertTrue(self.text("light").startswith("broken: "))
                self.assertIn("Within the bounds of this level", self.text("play-return"))
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                self.assertLessEqual(self.js("const {scrollWidth, clientWidth} = document"
                                             ".getElementById('timeline');"
                                             "return scrollWidth - clientWidth"), 0)
                self.assertEqual(self.js(SMALL_TEXTS), [])

    def english_left(self):
        stages = "([1-8] )?(set nx px|lua release)"
        return [text for text in self.js(ENGLISH_TEXTS) if not re.fullmatch(stages, text)]

    def test_speaks_chinese(self):
        self.resize(1280, 1080)
        self.open(self.chinese)
        self.assertEqual(self.js("return document.documentElement.lang"), "zh-CN")
        self.assertEqual(self.english_left(), [])
        places = self.js("return [...document.querySelectorAll('.cell.violated')]"
                         ".map((cell) => cell.dataset.where)")
        for where in places[::4]:
            with self.subTest(where):
                seen = self.browser.execute_async_script(OPEN_CELL, where)
                self.assertEqual(seen["seen"], seen["wanted"])
                self.assertIsNone(seen["overlap"], "text over text")
                self.assertEqual(seen["outside"], [], "text outside the drawing")
                self.assertEqual(self.english_left(), [])

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
