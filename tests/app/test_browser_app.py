"""The app as people use it, in a browser: with the mouse, with the keyboard alone, on a phone, with hostile names."""

import re
from importlib.resources import files

import pytest

from serving import PATIENCE, running

pytestmark = pytest.mark.slow
TUMOURS = files("cutline.examples") / "tumours.csv"


@pytest.fixture(scope="module")
def app():
    with running() as client:
        yield client


@pytest.fixture
def open_page(app, browser):
    """Return a function that opens a page of the app in a browser of its own; what it logs as an error fails."""
    contexts, errors = [], []

    def opened(address="", **options):
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: errors.append(request.url) if is_foreign(request.url) else None)
        page.goto(address or app.access.make_url(app.access.token))
        page.wait_for_selector("html[data-ready]")
        return page

    def is_foreign(url):
        return not url.startswith((f"http://127.0.0.1:{app.access.port}/", "data:", "blob:"))

    yield opened
    for context in contexts:
        context.close()
    assert not errors
    app.leave_pages()  # so that the next test finds room


def choose_tumours(page):
    """Choose the example, its positive value and the score, by the mouse."""
    page.click("text=Try it with an example")
    page.wait_for_selector("#columns:enabled")
    page.wait_for_selector("#positive option:nth-child(3)", state="attached")
    page.select_option("#positive", "malignant")
    page.select_option("#score", "logistic")


def test_the_whole_way_with_the_mouse(open_page, tmp_path):
    page = open_page()
    assert "#" not in page.url  # the token is gone from the address
    page.set_input_files("#file", str(TUMOURS))
    page.wait_for_selector("#positive option:nth-child(3)", state="attached")
    assert page.input_value("#label") == "label"
    assert page.is_disabled("#run")
    page.select_option("#positive", "malignant")
    page.select_option("#score", "logistic")
    page.select_option("#cut", "promise")
    page.fill("#promise_value", "90 %")
    page.click("#run")
    page.wait_for_selector("#views:not([hidden])")
    assert page.inner_text("#statement").startswith("With 95 % confidence at least 90 % of future positives score")
    assert "Area under the ROC curve" in page.inner_text("#table")
    page.wait_for_selector("[data-view=report]:enabled")
    report = page.frame_locator("#report-frame")
    report.locator("html[data-ready=true]").wait_for()
    assert page.get_attribute("[data-view=report]", "aria-pressed") == "true"
    assert "569" in report.locator("body").inner_text()
    page.wait_for_selector("#job", state="hidden")
    page.click("[data-view=downloads]")
    for title, name in (("Report (HTML)", "report.html"), ("Cut (JSON)", "cut.json")):
        with page.expect_download() as download:
            page.click(f"text={title}")
        assert download.value.suggested_filename == name
    with page.expect_download() as download:
        page.click("#flag")
    download.value.save_as(tmp_path / "flagged.csv")
    assert (tmp_path / "flagged.csv").read_text().splitlines()[0] == "label,logistic,tree,flagged"
    page.select_option("#chart", "roc")
    with page.expect_download() as download:
        page.click("#draw")
    assert download.value.suggested_filename == "roc.svg"
    page.click("[data-view=recalibration]")
    page.click("#judge")
    page.wait_for_selector("#worth:not([hidden])")
    assert page.locator("#methods tbody tr").count() > 3
    page.reload()
    page.wait_for_selector("#chosen:not([hidden])")
    assert page.input_value("#positive") == "malignant"
    assert page.input_value("#cut") == "promise"


@pytest.mark.usefixtures("unending")
def test_the_whole_way_with_the_keyboard_alone(open_page):
    page = open_page()

    def go_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(s) => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"{selector} is out of reach")

    go_to("#example")
    page.keyboard.press("Enter")
    page.wait_for_selector("#positive option:nth-child(3)", state="attached")
    go_to("#positive")
    page.keyboard.type("malig")
    go_to("#score")
    page.keyboard.type("tree")
    go_to("#cut")
    page.keyboard.type("a number")
    go_to("#quota")
    page.keyboard.press("Control+A")
    page.keyboard.type("100")
    page.keyboard.press("Enter")
    page.wait_for_selector("#views:not([hidden])")
    assert "100" in page.inner_text("#counts")
    go_to("#cancel")
    page.keyboard.press("Enter")
    page.wait_for_selector("#job", state="hidden")
    go_to("[data-view=downloads]")
    page.keyboard.press("Enter")
    assert page.is_visible("#downloads")


@pytest.mark.usefixtures("unending")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_and_nothing_bars_the_way(open_page, axe, scheme):
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme=scheme, bypass_csp=True)
    page.evaluate(axe)
    choose_tumours(page)
    assert barriers(page) == []
    page.click("#run")
    page.wait_for_selector("#views:not([hidden])")
    page.click("#cancel")
    page.wait_for_selector("#job", state="hidden")
    for view in ("numbers", "recalibration", "downloads"):
        page.click(f"[data-view={view}]")
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view


def barriers(page):
    """Return what axe-core finds, but for the frame, whose page has tests of its own."""
    run = (
        "async () => (await axe.run({ exclude: ['iframe'] })).violations.map((v) => [v.impact, v.id, v.nodes[0].html])"
    )
    return page.evaluate(run)


def test_names_in_a_file_are_text(open_page, tmp_path):
    hostile = "<img src=x onerror=alert(1)>"
    path = tmp_path / "a<b>.csv"
    rows = "".join(f"{i % 2},{(i * 7919) % 100 / 100}\n" for i in range(40))
    path.write_text(f"y,{hostile}\n{rows}")
    page = open_page()
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.set_input_files("#file", str(path))
    page.wait_for_selector("[data-view=report]:enabled")
    page.frame_locator("#report-frame").locator("html[data-ready=true]").wait_for()
    assert hostile in page.inner_text("#counts")
    assert page.locator("main img").count() == 0
    assert not dialogs


def test_another_page_can_neither_post_nor_read_nor_frame(open_page, app, browser):
    port = app.access.port
    page = open_page()
    tab = page.evaluate("sessionStorage.getItem('tab')")
    other = page.context.new_page()  # with the cookies of the first
    other.goto("data:text/html,<title>evil</title>")
    attack = """async ([port, tab]) => {
      const found = [];
      for (const [path, options] of [[`/tabs/${tab}/cancel`, { method: "POST" }], [`/close`, { method: "POST" }],
          [`/tabs/${tab}`, {}], ["/", {}]]) {
        for (const mode of ["cors", "no-cors"]) {
          try {
            const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...options, mode, credentials: "include" });
            found.push(answer.type === "opaque" ? "opaque" : answer.status);
          } catch { found.push("refused"); }
        }
      }
      return found;
    }"""
    assert set(other.evaluate(attack, [port, tab])) <= {"refused", "opaque"}
    other.set_content(f'<iframe src="http://127.0.0.1:{port}/"></iframe>')
    other.wait_for_timeout(300)
    assert page.is_visible("#run")
    assert app.thread.is_alive()
    assert tab in app.server.tabs


def test_without_the_token_there_is_no_way_in(app, browser):
    context = browser.new_context()
    for address in ("", "#wrong"):
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{app.access.port}/{address}")
        page.wait_for_selector("#gate:not([hidden])")
        assert re.search("terminal shows", page.inner_text("#gate-message"))
        assert page.is_hidden("#app")
        page.close()
    context.close()


def test_the_page_reports_that_the_server_ended_and_keeps_its_results(browser):
    with running() as client:
        context = browser.new_context()
        page = context.new_page()
        page.goto(client.access.make_url(client.access.once))
        page.wait_for_selector("html[data-ready]")
        page.click("#close")
        page.wait_for_selector("#gate:not([hidden])")
        assert "cutline has ended" in page.inner_text("#gate-message")
        client.thread.join(PATIENCE)
        assert not client.thread.is_alive()
        context.close()


def test_a_password_opens_the_page(browser):
    with running(password="a long password") as client:  # noqa: S106
        context = browser.new_context()
        page = context.new_page()
        page.goto(client.access.make_url(client.access.token))
        page.wait_for_selector("#gate-form:not([hidden])")
        page.fill("#password", "another")
        page.keyboard.press("Enter")
        page.locator("#gate-message", has_text="wrong").wait_for()
        page.fill("#password", "a long password")
        page.keyboard.press("Enter")
        page.wait_for_selector("html[data-ready]")
        assert page.is_visible("#run")
        context.close()
