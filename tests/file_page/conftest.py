"""The page that takes a file, in a browser."""

import pytest

from cutline import file_page


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    return file_page.save(tmp_path_factory.mktemp("page") / "cutline.html")


class Opened:
    """The page in a tab, with what went wrong in it."""

    def __init__(self, tab, address):
        self.tab, self.errors, self.requests = tab, [], []
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        tab.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        tab.on("request", lambda request: self.requests.append(request.url))
        tab.goto(address)
        tab.wait_for_selector("html[data-ready]")

    def text(self, selector):
        return self.tab.inner_text(selector).replace("\u2009", "")

    def give(self, path):
        """Choose a file, and wait for its numbers."""
        before = self.evaluations
        self.tab.set_input_files("#file", path)
        self.wait_for_numbers(before)

    @property
    def evaluations(self):
        return int(self.tab.evaluate("document.documentElement.dataset.evaluated ?? 0"))

    def wait_for_numbers(self, before=0):
        self.tab.wait_for_selector(f"html[data-evaluated='{before + 1}']")

    def wait_until_idle(self):
        """Wait until the last choice has been answered."""
        for _ in range(600):
            if self.evaluations and not self.tab.evaluate("cutline.page.waiting.size"):
                return
            self.tab.wait_for_timeout(100)
        raise AssertionError("the page still works")

    def wait_for_promises(self):
        self.tab.wait_for_selector("html[data-promised=true]")

    def refusal(self, path):
        """Choose a file, and return the sentence by which it is refused."""
        self.tab.set_input_files("#file", path)
        self.tab.wait_for_selector("#file-refusal:not(:empty)")
        assert not self.tab.is_visible("#result")
        return self.text("#file-refusal")

    def measure(self, name):
        """The value and the interval of a measure of the ranking, as they are shown."""
        row = f'[data-measure="{name}"]'
        return self.tab.text_content(f"{row} .value"), self.tab.text_content(f"{row} .interval")


@pytest.fixture
def opened(browser, page_file):
    """The page, in a tab of a desktop's width."""
    tabs = []

    def open_page(width=1280, height=900, **options):
        tab = browser.new_page(viewport={"width": width, "height": height}, **options)
        tabs.append(tab)
        return Opened(tab, page_file.as_uri())

    yield open_page
    for tab in tabs:
        tab.close()
