#!/bin/sh
# Brings Debian's Chromium where there is none and we may; otherwise says what is missing. Never fails by itself:
# without a browser the tests say that they were skipped, and in CI they fail.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -n "$EQUIPOISE_CHROMIUM" ] && exit 0

missing() {
    echo "browser: $1; the tests in a browser will be skipped (in CI they fail)."
    echo "browser: install Chromium, or set EQUIPOISE_CHROMIUM to the path of one."
    exit 0
}

command -v apt-get >/dev/null 2>&1 || missing "no Chromium here, and no apt-get to install it with"
as_root=""
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || missing "no Chromium here, and no right to install it"
    as_root="sudo -n"
fi
echo "browser: installing Debian's chromium ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq >/dev/null 2>&1
$as_root apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1 || missing "apt-get could not install chromium"
