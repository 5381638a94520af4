#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Test the web pages in a browser: no errors, no violations of the content security policy, with and without scripts: TAP.

usage: pages.py BUILD-DIR [PICTURES-DIR]

Starts BUILD-DIR/tests/web/page_server, an invented cluster, and Debian's chromium. With PICTURES-DIR it writes a
picture of each page, light and dark, 1400 and 390 pixels wide.
"""
import os
import sys
import traceback

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browsing import Server, complaints, open_browser, show_as, until

WAITING = "application_1795500000000_0398"
OF_GRID = "application_1795500000000_0399"  # an application of the user grid; WAITING is bob's
HOSTILE = "application_1795500000000_0201"
PAGES = {
    "overview": "/cluster",
    "applications": "/cluster/apps",
    "application": "/cluster/app/" + WAITING,
    "hostile": "/cluster/app/" + HOSTILE,
    "scheduler": "/cluster/scheduler",
    "queue": "/cluster/queue/root.dev.ml",
    "nodes": "/cluster/nodes",
    "node": "/cluster/node/node-00002.example.org%3A8041",
    "labels": "/cluster/nodelabels",
    "events": "/cluster/events",
    "events-of-node": "/cluster/events?node=node-00018.example.org%3A8041",
    "history": "/cluster/history",
    "usage": "/cluster/history/usage?since=3d",
    "usage-by-queue": "/cluster/history/usage?by=queue",
    "configuration": "/cluster/conf",
    "about": "/cluster/cluster",
}


def rows(browser):
    return browser.find_elements(By.CSS_SELECTOR, "#rows tbody tr")


def texts(browser, label):
    """The texts of a column. They are read at once, since the page replaces its rows when they change."""
    return browser.execute_script("""
        const column = [...document.querySelectorAll("#rows th")].findIndex(e => e.textContent.trim().startsWith(arguments[0]));
        return [...document.querySelectorAll(`#rows td:nth-child(${column + 1})`)].map(e => e.innerText.trim());
        """, label)


def labels(browser):
    """The labels that the cells of the first application have on a narrow screen."""
    return browser.execute_script("""
        return [...document.querySelectorAll("#rows tbody tr:first-child td")].map(
            e => getComputedStyle(e, "::before").content.replaceAll('"', ""));
        """)


def is_loaded_without(browser, seen):
    """Whether the whole page has loaded and its first application is not in SEEN."""
    first = texts(browser, "Application")[:1]
    return first and first[0] not in seen and \
        browser.execute_script("return document.readyState") == "complete"


# --- tests -----------------------------------------------------------------------

def pages_have_no_complaints(browser, base):
    for width, height in ((1400, 900), (390, 844)):
        for theme in ("light", "dark"):
            show_as(browser, width, height, theme)
            for name, path in PAGES.items():
                browser.get(base + path)
                until(browser, lambda: browser.execute_script("return document.readyState") == "complete", name)
                found = complaints(browser)
                assert not found, (name, found)
                wide = browser.execute_script("return document.documentElement.scrollWidth")
                assert wide <= width, f"{name} is {wide} wide of {width}"
    show_as(browser, 1400, 900, "light")


def no_section_is_an_empty_box(browser, base):
    for name, path in PAGES.items():
        browser.get(base + path)
        empty = browser.execute_script(
            "return [...document.querySelectorAll('section')]"
            ".filter(e => e.offsetHeight > 0 && !e.innerText.trim() && !e.children.length).map(e => e.id)")
        assert not empty, (name, empty)


def ids_are_unique(browser, base):
    for name, path in PAGES.items():
        browser.get(base + path)
        ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids)), (name, ids)


def links_lead_somewhere(browser, base):
    seen = set()
    for path in PAGES.values():
        browser.get(base + path)
        seen.update(browser.execute_script(
            "return [...document.querySelectorAll('main a, nav a')].map(a => a.href).slice(0, 60)"))
    statuses = browser.execute_async_script("""
        const done = arguments[arguments.length - 1];
        Promise.all(arguments[0].map(url => fetch(url).then(a => [url, a.status]))).then(done);""", sorted(seen))
    bad = [entry for entry in statuses if entry[1] != 200 and "eve" not in entry[0]]
    assert len(statuses) > 50 and not bad, bad


def filters_and_sorting(browser, base):
    browser.get(base + "/cluster/apps")
    browser.find_element(By.NAME, "user").send_keys("bob", Keys.ENTER)
    until(browser, lambda: "user=bob" in browser.current_url, "the filter is in the address")
    assert set(texts(browser, "User")) == {"bob"}
    browser.get(base + "/cluster/apps?state=ALL")
    browser.find_element(By.LINK_TEXT, "Containers").click()
    until(browser, lambda: "sort=-containers" in browser.current_url, "the order is in the address")
    counts = [int(text.split()[0]) for text in texts(browser, "Containers")]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1], counts
    assert browser.find_element(By.CSS_SELECTOR, "th[aria-sort]").get_attribute("aria-sort") == "descending"


def column_of_containers(browser, label):
    """The texts of a column of the table of containers, read at once."""
    return browser.execute_script("""
        return [...document.querySelectorAll(`#containers td[data-label="${arguments[0]}"]`)].map(e => e.innerText.trim());
        """, label)


def containers_are_sorted_and_filtered(browser, base):
    browser.get(base + "/cluster/app/" + WAITING)
    browser.find_element(By.LINK_TEXT, "Peak memory").click()
    until(browser, lambda: "sort=-memory#containers" in browser.current_url, "the order is in the address")
    tasks = [int(text or 0) for text in column_of_containers(browser, "Task")]
    assert len(tasks) == 12 and tasks == sorted(tasks, reverse=True), tasks
    assert browser.find_element(By.CSS_SELECTOR, "#containers th[aria-sort]").get_attribute("aria-sort") == "descending"
    browser.find_element(By.LINK_TEXT, "ended").click()
    until(browser, lambda: "state=COMPLETE" in browser.current_url, "the state is in the address")
    assert "sort=-memory" in browser.current_url and column_of_containers(browser, "Task") == ["11", "10", "9"]
    browser.find_element(By.NAME, "exit").send_keys("137", Keys.ENTER)
    until(browser, lambda: "exit=137" in browser.current_url, "the filter is in the address")
    assert "state=COMPLETE" in browser.current_url and column_of_containers(browser, "Task") == ["10"]
    browser.get(base + "/cluster/node/node-00002.example.org%3A8041")
    assert set(column_of_containers(browser, "State")) == {"RUNNING"}
    browser.find_element(By.LINK_TEXT, "all").click()
    until(browser, lambda: "state=ALL" in browser.current_url, "the state is in the address")
    assert len(column_of_containers(browser, "State")) == 12
    found = complaints(browser)
    assert not found, found


def cells_of_a_narrow_screen_have_labels(browser, base):
    show_as(browser, 390, 844, "light")
    browser.get(base + "/cluster/apps?state=ALL")
    assert labels(browser) == ["Application", "User", "Queue", "State", "Containers", "Memory", "Vcores", "Age", "Reason"], labels(browser)
    browser.get(base + "/cluster/apps?state=RUNNING")
    assert not browser.find_element(By.CSS_SELECTOR, "#rows td.reason").is_displayed(), "an empty cell is hidden"
    show_as(browser, 1400, 900, "light")


def tables_fit_a_wide_screen(browser, base):
    for name, path in PAGES.items():
        browser.get(base + path)
        wide = browser.execute_script("return [...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.id)")
        assert not wide, f"{name}: {wide}"


def paging_shows_each_row_once(browser, base):
    browser.get(base + "/cluster/apps?state=ALL&n=150")
    seen = texts(browser, "Application")
    for _ in range(5):
        if not browser.execute_script("const a = document.querySelector('a[rel=next]'); a?.click(); return a !== null;"):
            break
        until(browser, lambda: is_loaded_without(browser, seen), "the next page")
        seen += texts(browser, "Application")
    assert len(seen) == len(set(seen)) == 400, len(seen)


def columns_are_chosen(browser, base):
    browser.get(base + "/cluster/apps?state=ALL&sort=-memory")
    browser.find_element(By.CSS_SELECTOR, ".columns summary").send_keys(Keys.ENTER)
    for name in ("queue", "vcores", "priority"):
        browser.find_element(By.CSS_SELECTOR, f".columns input[value={name}]").send_keys(Keys.SPACE)
    browser.find_element(By.CSS_SELECTOR, ".columns button").send_keys(Keys.ENTER)
    until(browser, lambda: "cols=priority" in browser.current_url, "the columns in the address")
    heads = [head.text.split(" ")[0] for head in browser.find_elements(By.CSS_SELECTOR, "#rows th")]
    assert "Priority" in heads and "Queue" not in heads and "Vcores" not in heads, heads
    browser.find_element(By.LINK_TEXT, "Priority").click()
    until(browser, lambda: "sort=-priority" in browser.current_url and "cols=priority" in browser.current_url, "both")
    csv = browser.find_element(By.LINK_TEXT, "CSV").get_attribute("href")
    text = browser.execute_async_script("fetch(arguments[0]).then(a => a.text()).then(arguments[1])", csv)
    assert text.startswith("application,name,") and len(text.splitlines()) > 100, text[:300]


def the_why_panel_names_the_limit(browser, base):
    browser.get(base + "/cluster/app/" + WAITING)
    panel = browser.find_element(By.ID, "why").text
    assert "QueueLimit" in panel and "asks for 32 GiB" in panel and "What would help" in panel, panel


def the_configuration_has_origins(browser, base):
    browser.get(base + "/cluster/conf")
    assert "yarn.acl.enable" in texts(browser, "Key") and "creel.log.level" not in texts(browser, "Key")
    assert any("scheduler-conf of ann" in text for text in texts(browser, "Set in"))
    browser.find_element(By.PARTIAL_LINK_TEXT, "All, with").click()
    until(browser, lambda: "show=all" in browser.current_url, "the choice is in the address")
    assert "creel.log.level" in texts(browser, "Key")
    browser.find_element(By.CSS_SELECTOR, "form.filter input[name=q]").send_keys("acl", Keys.ENTER)
    until(browser, lambda: "q=acl" in browser.current_url, "the filter is in the address")
    assert texts(browser, "Key") == ["yarn.acl.enable"], texts(browser, "Key")


def events_are_filtered_sorted_and_paged(browser, base):
    browser.get(base + "/cluster/events")
    assert len(rows(browser)) == 50
    browser.find_element(By.LINK_TEXT, "queues").click()
    until(browser, lambda: "kind=queue" in browser.current_url, "the kind is in the address")
    assert set(texts(browser, "By")) == {"ann"} and set(texts(browser, "Event")) == {"CONFIGURED"}
    browser.get(base + "/cluster/events?kind=app&since=30d")
    browser.find_element(By.LINK_TEXT, "Event").click()
    until(browser, lambda: "sort=event" in browser.current_url, "the order is in the address")
    first = texts(browser, "Event")
    assert len(first) == 50 and first == sorted(first), first
    browser.find_element(By.LINK_TEXT, "next page").click()
    until(browser, lambda: "after=" in browser.current_url, "the next page")
    assert texts(browser, "Event") == sorted(texts(browser, "Event")) and texts(browser, "Event")[0] >= first[-1]
    browser.get(base + "/cluster/app/" + WAITING)
    browser.find_element(By.LINK_TEXT, "Events of this application").click()
    until(browser, lambda: "app=" + WAITING in browser.current_url, "the events of the application")
    assert WAITING in texts(browser, "Object") and "SUBMITTED" in texts(browser, "Event")


def the_history_has_ended_applications(browser, base):
    browser.get(base + "/cluster/history")
    assert len(rows(browser)) > 10
    assert "RUNNING" not in {text.upper() for text in texts(browser, "Result")}
    browser.find_element(By.NAME, "user").send_keys("bob", Keys.ENTER)
    until(browser, lambda: "user=bob" in browser.current_url, "the filter is in the address")
    assert set(texts(browser, "User")) == {"bob"}
    browser.find_element(By.LINK_TEXT, "failed").click()
    until(browser, lambda: "state=FAILED" in browser.current_url, "the state is in the address")
    assert {text.split()[0].lower() for text in texts(browser, "Result")} == {"failed"}


def the_usage_has_charts(browser, base):
    browser.get(base + "/cluster/history")
    browser.find_element(By.LINK_TEXT, "usage by time").click()
    until(browser, lambda: "by=hour" in browser.current_url, "the view is in the address")
    assert len(browser.find_elements(By.CSS_SELECTOR, "figure svg")) == 2
    height = browser.execute_script("return document.querySelector('figure rect.used').getBoundingClientRect().height")
    assert height > 5, height
    browser.find_element(By.LINK_TEXT, "usage by queue").click()
    until(browser, lambda: "by=queue" in browser.current_url, "the view is in the address")
    browser.find_element(By.LINK_TEXT, "Jobs").click()
    until(browser, lambda: "sort=-jobs" in browser.current_url, "the order is in the address")
    jobs = [int(text) for text in texts(browser, "Jobs")]
    assert len(jobs) == 3 and jobs == sorted(jobs, reverse=True), jobs
    browser.find_element(By.LINK_TEXT, "root.dev.ml").click()
    until(browser, lambda: "/cluster/history?" in browser.current_url, "the applications of the queue")


def the_overview_has_the_last_hour(browser, base):
    browser.get(base + "/cluster")
    pictures = browser.execute_script("""
        return [...document.querySelectorAll('#trend figure svg')].map(e => ({
            name: e.querySelector('title').textContent, text: e.querySelector('desc').textContent,
            high: e.querySelector('path.used').getBoundingClientRect().height,
            apart: e.querySelector('path.used').getAttribute('d').split('M').length - 1 }));""")
    assert [picture["name"] for picture in pictures] == ["Memory in the last hour", "Vcores in the last hour", "Applications in the last hour"], pictures
    assert all(picture["high"] > 20 and picture["apart"] == 2 for picture in pictures), pictures
    assert "allocated: 14.7 TiB now" in pictures[0]["text"] and "waiting: 20 now" in pictures[2]["text"], pictures
    browser.find_element(By.XPATH, "//summary[text()='As a table']").send_keys(Keys.ENTER)
    table = browser.find_elements(By.CSS_SELECTOR, "#trend-table tbody tr")
    assert len(table) == 12 and table[0].is_displayed() and table[0].text.endswith("41 20"), [row.text for row in table]
    assert any(row.text.endswith("– – – –") for row in table), "times without figures"


def hostile_names_do_nothing(browser, base):
    for path in ("/cluster/app/" + HOSTILE, "/cluster/apps?state=ALL&n=200&sort=age&user=%3Cb%3Eeve%3C/b%3E",
                 "/cluster/apps?name=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E"):
        browser.get(base + path)
        assert not browser.find_elements(By.CSS_SELECTOR, "main img, main script, main b > b"), path
        assert not complaints(browser), path
        assert browser.execute_script("return document.scripts.length") == 1


def the_map_leads_to_a_node(browser, base):
    browser.get(base + "/cluster/nodes")
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#map canvas"), "the map")
    canvas = browser.find_element(By.CSS_SELECTOR, "#map canvas")
    until(browser, lambda: (canvas.get_attribute("aria-label") or "").startswith("Map of 120 nodes, 2 of them"), "its text")
    Select(browser.find_element(By.CSS_SELECTOR, "#map select")).select_by_value("vcores")
    browser.execute_script("""
        const place = arguments[0].getBoundingClientRect();
        arguments[0].dispatchEvent(new MouseEvent('click', { clientX: place.x + 30, clientY: place.y + 5 }));""", canvas)
    until(browser, lambda: "/cluster/node/node-00002" in browser.current_url, "the node's page")


def the_theme_is_kept(browser, base):
    browser.get(base + "/cluster")
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    browser.find_element(By.CSS_SELECTOR, "#switches button").click()
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != ground
    browser.get(base + "/cluster/apps")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    browser.execute_script("localStorage.clear()")


def everything_by_keyboard(browser, base):
    browser.get(base + "/cluster/nodes")
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    browser.switch_to.active_element.send_keys("root.dev.ml", Keys.ENTER)
    until(browser, lambda: "/cluster/queue/root.dev.ml" in browser.current_url, "the search finds the queue")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"


def text_has_contrast(browser, base):
    """WCAG AA: 4.5 to 1 between a text and what is behind it."""
    for theme in ("light", "dark"):
        show_as(browser, 1400, 900, theme)
        for name, path in PAGES.items():
            browser.get(base + path)
            low = browser.execute_script(CONTRAST)
            assert not low, (theme, name, low[:5])
    show_as(browser, 1400, 900, "light")


CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
function over(colours) {
  canvas.fillStyle = '#fff'; canvas.fillRect(0, 0, 1, 1);
  for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function light(rgb) {
  const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const low = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].filter(n => n.nodeType === 3 && n.data.trim()).map(n => n.data.trim()).join(' ');
  if (!own || !element.checkVisibility() || element.closest('svg, .hidden, .skip, option')) continue;
  const behind = [];
  for (let e = element; e; e = e.parentElement) behind.unshift(getComputedStyle(e).backgroundColor);
  const back = light(over(behind)), front = light(over([...behind, getComputedStyle(element).color]));
  const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
  if (ratio < 4.5) low.push(own.slice(0, 40) + ': ' + ratio.toFixed(2));
}
return low;
"""


def pages_work_without_scripts(base):
    browser = open_browser(scripts=False)
    try:
        for name, path in PAGES.items():
            browser.get(base + path)
            assert len(browser.find_element(By.TAG_NAME, "main").text) > 40, name
        assert not browser.find_elements(By.CSS_SELECTOR, "#switches button"), "scripts ran"
        browser.get(base + "/cluster/apps")
        browser.find_element(By.NAME, "queue").send_keys("root.dev", Keys.ENTER)
        until(browser, lambda: "queue=root.dev" in browser.current_url, "the filter works")
        assert all(text.startswith("root.dev") for text in texts(browser, "Queue"))
    finally:
        browser.quit()


def changes_are_made_from_the_page(builds):
    """A refresh does not change forms; pages of what the user may not change have no form; a refusal is shown."""
    with Server(builds, "400", "120", "4", "bob") as base:
        browser = open_browser()
        try:
            browser.get(base + "/cluster/app/" + WAITING)
            before = browser.find_element(By.TAG_NAME, "footer").text
            browser.find_element(By.XPATH, "//summary[text()='Kill']").click()
            browser.find_element(By.NAME, "reason").send_keys("not needed")
            until(browser, lambda: browser.find_element(By.TAG_NAME, "footer").text != before, "a refresh")
            assert browser.find_element(By.NAME, "reason").get_attribute("value") == "not needed"
            browser.find_element(By.XPATH, "//button[text()='Kill this application']").click()
            until(browser, lambda: browser.find_elements(By.ID, "why"), "the page of the application again")
            assert browser.current_url == base + "/cluster/app/" + WAITING
            for path in ("/cluster/app/" + OF_GRID, PAGES["node"]):
                browser.get(base + path)
                until(browser, lambda: browser.find_elements(By.ID, "containers"), "the page of another user's object")
                assert not browser.find_elements(By.ID, "actions"), path
            browser.get(base + "/cluster/app/" + WAITING)
            browser.execute_script("document.querySelector('#actions form').action = arguments[0]", f"/cluster/app/{OF_GRID}/kill")
            browser.find_element(By.XPATH, "//summary[text()='Kill']").click()
            browser.find_element(By.NAME, "reason").send_keys("of grid", Keys.ENTER)
            until(browser, lambda: "this application is of another user" in browser.page_source, "the refusal")
            assert all("403" in text for text in complaints(browser))
        finally:
            browser.quit()
    with Server(builds, "400", "120", "4", "root") as base:
        browser = open_browser()
        try:
            browser.get(base + PAGES["node"])
            browser.find_element(By.XPATH, "//summary[text()='Drain']").click()
            browser.find_element(By.NAME, "deadline").send_keys("2h", Keys.ENTER)
            until(browser, lambda: browser.find_elements(By.ID, "containers"), "the page of the node again")
            found = complaints(browser)
            assert not found, found
        finally:
            browser.quit()


def users_sign_in_with_tokens(builds, folder):
    """The cookie is out of reach of scripts; a token's scope decides what the pages offer; all works without scripts."""
    with Server(builds, "400", "120", "4", "--tokens") as base:
        for scripts in (True, False):
            browser = open_browser(scripts)
            try:
                sign_in_and_out(browser, base, scripts)
                if scripts and folder:
                    for width, height in ((1400, 900), (390, 844)):
                        for theme in ("light", "dark"):
                            show_as(browser, width, height, theme)
                            browser.get(base + "/cluster/login")
                            browser.save_screenshot(f"{folder}/sign-in-{theme}-{width}.png")
            finally:
                browser.quit()


def tiles(browser):
    return browser.find_element(By.ID, "tiles").text


def fetches(browser):
    """The requests of the page's script for the page."""
    return browser.execute_script(
        "return performance.getEntriesByName(location.href).filter(e => e.initiatorType === 'fetch').length")


def a_page_shows_a_change(builds):
    """The page is loaded again after each change, and not without one, by an event: without events a minute would pass."""
    with Server(builds) as base:
        browser = open_browser()
        try:
            browser.get(base + "/cluster")
            tile = browser.find_element(By.CSS_SELECTOR, ".tile")
            browser.execute_script("arguments[0].focus(); window.sameDocument = true", tile)
            for changes in range(1, 4):
                before = tiles(browser)
                base.change()
                until(browser, lambda before=before: tiles(browser) != before, "the change")
                assert fetches(browser) == changes, fetches(browser)
            assert browser.execute_script("return document.activeElement.className").startswith("tile")
            assert browser.execute_script("return window.sameDocument")
            found = complaints(browser)
            assert not found, found
        finally:
            browser.quit()


def an_open_page_shows_that_it_is_old(builds):
    """Though the copy of the cluster does not change, and the page is refreshed by its ETag."""
    with Server(builds) as base:
        browser = open_browser()
        try:
            browser.get(base + "/cluster")
            before = tiles(browser)
            base.change()
            until(browser, lambda: tiles(browser) != before, "the change, after which the script has the ETag")
            for _ in range(2):
                base.stop_or_start_rm()
                until(browser, lambda: "This page is not up to date: creel-rm does not answer." in note(browser), "the note")
                base.stop_or_start_rm()
                until(browser, lambda: note(browser) == "", "the end of the note")
            found = complaints(browser)
            assert not found, found
        finally:
            browser.quit()


def an_open_page_shows_that_creel_web_is_silent(builds):
    """A page with a stream, and one that asks by time: creel-web is stopped, and ends."""
    for path, ends in (("/cluster", False), ("/cluster/history", True)):
        with Server(builds) as base:
            browser = open_browser()
            try:
                browser.get(base + path)
                base.stop_web()
                until(browser, lambda: "This page is not up to date: creel-web does not answer. It shows the cluster as of 20" in alert(browser), path)
                base.continue_web()
                until(browser, lambda: alert(browser) == "", "the end of the note")
                found = complaints(browser)
                assert not found, found
                if ends:
                    base.end_web()
                    until(browser, lambda: "creel-web does not answer." in alert(browser), "the note when it has ended")
            finally:
                browser.quit()


def alert(browser):
    return browser.execute_script("return document.querySelector('main > [role=alert]')?.innerText ?? ''")


def note(browser):
    return browser.find_element(By.ID, "trouble").get_property("textContent")


def a_page_without_a_stream_asks_by_time(builds):
    with Server(builds, "400", "120", "4", "--streams", "0") as base:
        browser = open_browser()
        try:
            browser.get(base + "/cluster")
            before = tiles(browser)
            base.change()
            until(browser, lambda: tiles(browser) != before, "the change")
            found = complaints(browser)
            assert len(found) == 1 and "/cluster/changes" in found[0] and "503" in found[0], found
        finally:
            browser.quit()


def a_hidden_page_closes_its_stream(builds):
    """The server has room for one stream, that of the page: another one is refused until the page is hidden."""
    with Server(builds, "400", "120", "4", "--streams", "1") as base:
        browser = open_browser()
        try:
            browser.get(base + "/cluster")
            before = tiles(browser)
            base.change()
            until(browser, lambda: tiles(browser) != before, "the change")
            assert other_stream(browser) == 503
            browser.execute_script(HIDE)
            until(browser, lambda: other_stream(browser) == 200, "the end of that stream")
        finally:
            browser.quit()


HIDE = """
Object.defineProperty(document, 'hidden', { value: true });
document.dispatchEvent(new Event('visibilitychange'));"""


def other_stream(browser):
    """The status of a request for a stream, which ends at once."""
    return browser.execute_async_script("""
        const done = arguments[arguments.length - 1], end = new AbortController();
        fetch('/cluster/changes?topics=apps', { signal: end.signal })
            .then(answer => { end.abort(); done(answer.status); });""")


def give_token(browser, token):
    browser.find_element(By.NAME, "access").send_keys(token, Keys.ENTER)


def sign_in_and_out(browser, base, scripts):
    app = base + "/cluster/app/" + WAITING
    browser.get(app)
    assert not browser.find_elements(By.CSS_SELECTOR, ".actions"), "nobody has signed in"
    browser.find_element(By.LINK_TEXT, "Sign in").click()
    until(browser, lambda: browser.current_url == base + "/cluster/login", "the page Sign in")
    if scripts:
        found = complaints(browser) + browser.execute_script(CONTRAST)
        assert not found, found
    assert browser.find_element(By.NAME, "access").get_attribute("type") == "password"
    give_token(browser, "something else")
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "[role=alert]"), "the refusal")
    assert "not valid" in browser.find_element(By.CSS_SELECTOR, "[role=alert]").text
    assert "something else" not in browser.page_source and "something" not in browser.current_url
    assert not browser.get_cookies()
    give_token(browser, "token-of-bob")
    until(browser, lambda: browser.current_url == base + "/cluster", "the overview")
    assert browser.find_element(By.CSS_SELECTOR, ".who").text == "bob"
    cookie = browser.get_cookies()[0]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["name"] == "creel_token", cookie
    if scripts:
        assert browser.execute_script("return document.cookie") == ""
    browser.get(app)
    assert browser.find_element(By.XPATH, "//summary[text()='Kill']")
    browser.find_element(By.XPATH, "//button[text()='Sign out']").click()
    until(browser, lambda: browser.find_elements(By.LINK_TEXT, "Sign in"), "nobody is signed in")
    assert not browser.get_cookies() and browser.find_element(By.CSS_SELECTOR, ".who").text == "dr.who"
    browser.find_element(By.LINK_TEXT, "Sign in").click()
    until(browser, lambda: browser.find_elements(By.NAME, "access"), "the page Sign in")
    give_token(browser, "token-of-carla")
    until(browser, lambda: browser.current_url == base + "/cluster", "the overview")
    browser.get(app)
    assert browser.find_element(By.CSS_SELECTOR, ".who").text == "carla"
    assert not browser.find_elements(By.XPATH, "//summary[text()='Kill']"), "a token to read offers no changes"
    browser.find_element(By.XPATH, "//button[text()='Sign out']").click()
    until(browser, lambda: browser.find_elements(By.LINK_TEXT, "Sign in"), "nobody is signed in")
    if scripts:
        browser.get_log("browser")  # the refused token is an error of the console


def take_pictures(browser, base, folder):
    os.makedirs(folder, exist_ok=True)
    for width, height in ((1400, 900), (390, 844)):
        for theme in ("light", "dark"):
            show_as(browser, width, height, theme)
            for name, path in PAGES.items():
                browser.get(base + path)
                if name == "nodes":
                    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#map canvas"), "the map")
                browser.save_screenshot(f"{folder}/{name}-{theme}-{width}.png")


TESTS = [
    pages_have_no_complaints, no_section_is_an_empty_box, ids_are_unique, links_lead_somewhere, filters_and_sorting, paging_shows_each_row_once,
    columns_are_chosen, the_why_panel_names_the_limit, events_are_filtered_sorted_and_paged,
    the_history_has_ended_applications, the_configuration_has_origins,
    the_usage_has_charts, the_overview_has_the_last_hour, containers_are_sorted_and_filtered, cells_of_a_narrow_screen_have_labels,
    tables_fit_a_wide_screen,
    hostile_names_do_nothing, the_map_leads_to_a_node,
    the_theme_is_kept, everything_by_keyboard, text_has_contrast,
]


def run(number, name, test):
    try:
        test()
        print(f"ok {number} - {name}", flush=True)
        return True
    except Exception:  # pylint: disable=broad-except
        print(f"not ok {number} - {name}")
        print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()[-12:]), end="", flush=True)
        return False


def main():
    builds = sys.argv[1]
    with Server(builds) as base:
        browser = open_browser()
        try:
            show_as(browser, 1400, 900, "light")
            good = [run(i + 1, test.__name__.replace("_", " "), lambda test=test: test(browser, base))
                    for i, test in enumerate(TESTS)]
            good.append(run(len(TESTS) + 1, "pages work without scripts", lambda: pages_work_without_scripts(base)))
            if len(sys.argv) > 2:
                take_pictures(browser, base, sys.argv[2])
        finally:
            browser.quit()
    good.append(run(len(TESTS) + 2, "changes are made from the page", lambda: changes_are_made_from_the_page(builds)))
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    good.append(run(len(TESTS) + 3, "users sign in with tokens", lambda: users_sign_in_with_tokens(builds, folder)))
    for test in (a_page_shows_a_change, an_open_page_shows_that_it_is_old, an_open_page_shows_that_creel_web_is_silent,
                 a_page_without_a_stream_asks_by_time, a_hidden_page_closes_its_stream):
        good.append(run(len(good) + 1, test.__name__.replace("_", " "), lambda test=test: test(builds)))
    print(f"1..{len(good)}")
    return 0 if all(good) else 1


sys.exit(main())
