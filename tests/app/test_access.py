"""Who is answered by the app: nobody but its own page."""

import contextlib
import os
import socket
import stat

import pytest
from starlette.exceptions import HTTPException

from cutline.app.access import Access, is_loopback
from cutline.app.server import remove_old_folders
from cutline.cli.main import main
from serving import PATIENCE, running

ROUTES = [
    ("POST", "/close"),
    ("POST", "/tabs"),
    ("GET", "/tabs/x"),
    ("GET", "/tabs/x/events"),
    ("POST", "/tabs/x/file?name=a.csv"),
    ("POST", "/tabs/x/example"),
    ("POST", "/tabs/x/run"),
    ("POST", "/tabs/x/cancel"),
    ("GET", "/tabs/x/view/report.html"),
    ("GET", "/tabs/x/download/cut.json"),
]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "[::1", ""],
)
def test_a_name_that_was_pointed_at_this_machine_is_refused(client, host):
    for method, path in [*ROUTES, ("GET", "/"), ("POST", "/session")]:
        status, _, content = client.send(method, path, Host=host.format(port=client.access.port))
        assert status in (400, 421), path
        assert b"tab" not in content


def test_the_own_names_are_known():
    access = Access("127.0.0.1", 8000)
    assert all(access.knows_host(name) for name in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST:8000"))
    everywhere = Access("0.0.0.0", 8000, "a long password")  # noqa: S104
    assert everywhere.knows_host("192.168.1.20:8000")
    assert everywhere.knows_host(f"{socket.gethostname()}:8000")
    assert not everywhere.knows_host("evil.example:8000")
    named = Access("192.168.1.20", 8000, "a long password")
    assert not named.knows_host("127.0.0.1:8000")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},  # of a report in its frame, too
        {"Origin": None},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
    ],
)
def test_a_post_of_another_page_is_refused_even_with_the_cookie(client, headers):
    filled = {name: value and value.format(port=client.access.port) for name, value in headers.items()}
    before = set(client.server.tabs)
    for method, path in [*ROUTES, ("POST", "/session")]:
        if method == "POST":
            assert client.send(method, path, b"{}", **filled)[0] == 403, path
    assert set(client.server.tabs) == before


def test_another_site_reads_nothing(client):
    for method, path in ROUTES:
        if method == "GET":
            assert client.send(method, path, Sec_Fetch_Site="cross-site")[0] == 403
            assert client.send(method, path, Origin="https://evil.example")[0] == 403
            assert client.send(method, path)[0] == 404


@pytest.mark.parametrize("cookie", [None, "", "cutline-1=x", "{name}=", "{name}=wrong", "{name}", '{name}="'])
def test_nothing_is_answered_without_the_cookie(client, cookie):
    for method, path in ROUTES:
        filled = cookie and cookie.format(name=client.access.cookie)
        assert client.send(method, path, b"{}" if method == "POST" else None, Cookie=filled)[0] == 403, path


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(client, method):
    assert client.send(method, "/tabs")[0] == 405


def test_the_token_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_has(client):
    status, headers, _ = client.send("POST", "/session", {"secret": client.access.token}, Cookie=None)
    assert status == 200
    name, _, rest = headers["set-cookie"].partition("=")
    assert name == f"cutline-{client.access.port}"
    assert {part.strip().lower() for part in rest.split(";")[1:]} == {"httponly", "path=/", "samesite=strict"}
    assert client.access.token not in rest


@pytest.mark.parametrize("secret", ["", "x", "\N{SNOWMAN}", None, ["a"], "a" * 50_000])
def test_a_wrong_token_opens_nothing(client, secret):
    status, headers, _ = client.send("POST", "/session", {"secret": secret})
    assert status == 403
    assert "set-cookie" not in headers


def test_the_token_that_other_users_may_see_among_the_processes_works_once():
    access = Access("127.0.0.1", 8000)
    once = access.once
    assert access.make_url(once).endswith(f"#{once}")
    assert access.open_session(once) is not None
    assert access.open_session(once) is None
    assert access.open_session(access.token) is not None


def test_every_answer_has_the_headers_that_shut_others_out(client):
    for method, path in [*ROUTES[1:], ("GET", "/"), ("GET", "/nothing")]:
        for foreign in ({}, {"Host": "evil.example"}):
            _, headers, _ = client.send(method, path, b"{}" if method == "POST" else None, **foreign)
            assert not [name for name in headers if name.lower().startswith("access-control")]
            assert headers["content-security-policy"].startswith("default-src 'none'")
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert headers["referrer-policy"] == "no-referrer"


def test_the_page_runs_its_own_program_alone_and_holds_no_secret(client):
    _, headers, content = client.send("GET", "/", Cookie=None)
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'sha256-" in policy
    assert client.access.token.encode() not in content
    assert client.session.encode() not in content


def test_bodies_are_bounded_whether_or_not_they_say_their_size(client):
    assert client.send("POST", "/session", b"x" * 70_000)[0] == 413
    with contextlib.suppress(ConnectionError):  # the server need not read the rest
        assert client.send("POST", "/session", iter([b"x" * 40_000] * 3))[0] == 413


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 60_000, b"\xff", b'{"a": NaN', b"null"])
def test_requests_that_do_not_come_from_the_page_are_refused(client, body):
    status, _, content = client.send("POST", "/session", body)
    assert (status, content) == (400, b'{"message":"This request is not one of the page."}')


def test_passwords_cannot_be_tried_out():
    access = Access("192.168.1.20", 8000, "a long password")
    assert access.open_session("a long password") is not None
    for _ in range(5):
        assert access.open_session("a guess") is None
    with pytest.raises(HTTPException) as refused:
        access.open_session("a long password")
    assert refused.value.status_code == 429


def test_the_token_opens_nothing_where_a_password_does():
    access = Access("192.168.1.20", 8000, "a long password")
    assert access.open_session(access.token) is None
    assert access.open_session(access.once) is None
    assert access.token not in access.make_url(access.token)
    assert access.token not in repr(access)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "pass --password too"),  # noqa: S104
        (["--host", "192.168.1.20"], "pass --password too"),
        (["--host", "192.168.1.20", "--password", "short"], "at least 8 characters"),
        (["--limit", "much"], "pass a size such as 500MB"),
        (["--limit", "infGB"], "pass a size such as 500MB"),
    ],
)
def test_other_machines_need_a_password(options, sentence, capsys):
    assert main(["app", "--no-browser", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_loopback_is_known():
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.20", "evil.example", "")))  # noqa: S104


@pytest.mark.slow
def test_files_are_bounded_in_size_and_time_and_leave_nothing():
    with running(limit=100_000) as client:
        tab = client.open_tab()
        folder = client.server.tabs[tab].folder
        assert stat.S_IMODE(client.server.root.stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with contextlib.suppress(ConnectionError):
            assert client.upload(tab, "a.csv", b"x" * 100_001)[0] == 413
        with contextlib.suppress(ConnectionError):
            assert client.upload(tab, "a.csv", iter([b"y,p\n" * 10_000] * 3))[0] == 413
        assert list(folder.iterdir()) == []

        assert client.parts(tab).get("upload") is None


@pytest.mark.slow
def test_a_file_that_stops_coming_is_given_up_and_leaves_nothing():
    with running(patience=0.5) as client:
        tab = client.open_tab()
        own = f"127.0.0.1:{client.access.port}"
        head = (
            f"POST /tabs/{tab}/file?name=a.csv HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\n"
            f"Cookie: {client.access.cookie}={client.session}\r\nContent-Length: 100\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", client.access.port), timeout=PATIENCE) as slow:
            slow.sendall(head.encode() + b"y,p\n")
            assert slow.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert list(client.server.tabs[tab].folder.iterdir()) == []
        assert client.parts(tab).get("upload") is None


@pytest.mark.slow
def test_a_client_that_never_ends_its_headers_is_cut_off(client, monkeypatch):
    address = ("127.0.0.1", client.access.port)
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.access.port}\r\n".encode()
    for start in (b"", head, head + b"\r\n"):
        is_whole = start.endswith(b"\r\n\r\n")
        monkeypatch.setattr("cutline.app.server.HEADER_SECONDS", PATIENCE if is_whole else 0.3)
        with socket.create_connection(address, timeout=PATIENCE / 2) as slow:
            slow.sendall(start)
            if is_whole:  # and half of another on the same connection
                assert slow.recv(100).startswith(b"HTTP/1.1 200")
                monkeypatch.setattr("cutline.app.server.HEADER_SECONDS", 0.3)
                slow.sendall(head)
            while slow.recv(65536):
                pass
    monkeypatch.undo()
    assert client.send("GET", "/")[0] == 200


@pytest.mark.slow
def test_no_path_is_taken_from_the_browser(client, tmp_path):
    tab = client.open_tab()
    folder = client.server.tabs[tab].folder
    for name in ("../../evil.csv", "/etc/evil.csv", "..\\..\\evil.csv", "a/../../b.csv", "\0.csv", "evil\n.csv"):
        assert client.upload(tab, name, b"y,p\n1,0.9\n0,0.1\n1,0.8\n0,0.7\n")[0] == 200
        assert client.wait(tab, lambda parts: parts.get("upload"))["upload"]["name"].endswith(".csv")
        assert "/" not in client.parts(tab)["upload"]["name"]
        assert [path.name for path in folder.iterdir()] == ["data.csv"]
    above = (folder.parent, folder.parent.parent)  # other programs write into the last one too
    assert not [
        path
        for parent in above
        for path in parent.iterdir()
        if path.name in ("evil.csv", "b.csv", ".csv", "evil\n.csv")
    ]
    (folder / "secret.txt").write_text("x")
    for name in (
        "data.csv",
        "secret.txt",
        "../x",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e",
        "/etc/passwd",
        "cut.json",
    ):
        for kind in ("view", "download"):
            assert client.send("GET", f"/tabs/{tab}/{kind}/{name}")[0] == 404, name
    for name in ("a.pkl", "a.pickle", "a.zip", "a.exe", "a.csv.gz", "a", "", "a.xls", "a.html", "csv"):
        assert client.upload(tab, name, b"x")[0] == 415, name
    for settings in (
        {"file": "/etc/passwd"},
        {"label": 1},
        {"label": "x" * 2000},
        {"cut": "exec"},
        {"drop_missing": "no"},
    ):
        assert client.run(tab, "evaluate", **settings)[0] == 400, settings
    assert client.run(tab, "import os")[0] == 400
    assert client.run("another", "evaluate")[0] == 404


@pytest.mark.slow
def test_pages_are_few():
    with running() as client:
        tabs = [client.open_tab() for _ in range(4)]
        for tab in tabs:
            client.server.tabs[tab].last_seen += 600  # is there, however slow this test is
        assert client.send("POST", "/tabs", b"")[0] == 503
        client.server.tabs[tabs[0]].last_seen -= 610  # has gone
        assert client.send("POST", "/tabs", b"")[0] == 200
        assert tabs[0] not in client.server.tabs


@pytest.mark.posix
def test_unused_folders_are_removed_after_a_day(tmp_path):
    old, new, foreign = (tmp_path / name for name in ("cutline-app-old", "cutline-app-new", "else-old"))
    for folder in (old, new, foreign):
        folder.mkdir()
        (folder / "data.csv").write_text("x")
    link = tmp_path / "cutline-app-link"
    link.symlink_to(foreign)
    for folder in (old, foreign):
        os.utime(folder, (0, 0))
    os.utime(link, (0, 0), follow_symlinks=False)
    remove_old_folders(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cutline-app-link", "cutline-app-new", "else-old"]
    assert (foreign / "data.csv").exists()


@pytest.mark.slow
def test_the_page_ends_the_server():
    with running() as client:
        assert client.send("POST", "/close", b"")[0] == 200
        client.thread.join(PATIENCE)
        assert not client.thread.is_alive()
