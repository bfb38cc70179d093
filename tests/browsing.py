"""A headless browser without a network, where there is one."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser_path() -> str:
    """Find the browser; where it is missing, say so: a skip on somebody's machine, a failure in CI."""
    given = os.environ.get("EQUIPOISE_CHROMIUM")
    found = given or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        missing = "no Chromium found; `make browser` installs Debian's, or set EQUIPOISE_CHROMIUM to the path of one"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Give a browser to the tests of one module: while it is open no other event loop can run in this thread."""
    path = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox needs rights that containers and root do not have; the pages are our own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()
