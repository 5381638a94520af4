# SPDX-License-Identifier: Apache-2.0
"""The browser and the server of pages.py."""
import signal
import subprocess

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

DEADLINE_S = 20
# Runs before the page's own script; the list is read by `blocked`.
WATCH_POLICY = """
window.blockedByPolicy = [];
document.addEventListener('securitypolicyviolation', e => window.blockedByPolicy.push(e.violatedDirective + ' ' + e.blockedURI));
"""


def open_browser(scripts=True):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_POLICY})
    return browser


def show_as(browser, width, height, theme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": theme}]})


def until(browser, condition, what):
    WebDriverWait(browser, DEADLINE_S, poll_frequency=0.05).until(lambda _: condition(), message=what)


def complaints(browser):
    found = [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    return found + browser.execute_script("return window.blockedByPolicy")


class Address(str):
    """The address of a server, which can change its cluster."""

    def change(self):
        self.send("c")

    def stop_or_start_rm(self):
        self.send("s")

    def stop_web(self):
        self.process.send_signal(signal.SIGSTOP)

    def continue_web(self):
        self.process.send_signal(signal.SIGCONT)

    def end_web(self):
        self.process.stdin.close()

    def send(self, word):
        self.process.stdin.write(word)
        self.process.stdin.flush()


class Server:
    """tests/web/page_server, while the block runs; gives its address."""

    def __init__(self, builds, *arguments):
        self.command = [builds + "/tests/web/page_server", *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        address = Address(self.process.stdout.readline().strip())
        address.process = self.process
        return address

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        assert status == 0, f"page_server ended with status {status}"
