"""Chromium without a window, for tests of pages. Needs Debian's chromium, chromium-driver and
python3-selenium."""
import os
import shutil
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = ["--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def start(test_case, *flags):
    """Starts one for a class of tests, and ends it with them. Returns its driver, which keeps what
    pages log, and a directory that goes with the class."""
    directory = tempfile.mkdtemp(prefix="lab-browser-")
    test_case.addClassCleanup(shutil.rmtree, directory, ignore_errors=True)
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, *flags, f"--user-data-dir={directory}/profile"]:
        options.add_argument(flag)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    test_case.addClassCleanup(browser.quit)
    return browser, directory
