#!/bin/sh
# Brings Debian's chess engines, bubblewrap and nginx, where there are none and we may; otherwise says what is missing.
# Never fails by itself: without an engine the tests that need it say that they were skipped.
PATH="$PATH:/usr/games:/usr/local/games:/usr/sbin"
wanted=""
for name in stockfish fairy-stockfish gnuchess; do
    command -v "$name" >/dev/null 2>&1 || wanted="$wanted $name"
done
command -v bwrap >/dev/null 2>&1 || wanted="$wanted bubblewrap"
command -v nginx >/dev/null 2>&1 || wanted="$wanted nginx-light"
[ -z "$wanted" ] && exit 0

missing() {
    echo "engines: $1; tests with$wanted will be skipped."
    exit 0
}

command -v apt-get >/dev/null 2>&1 || missing "not installed, and no apt-get to install them with"
as_root=""
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || missing "not installed, and no right to install them"
    as_root="sudo -n"
fi
echo "engines: installing$wanted ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq >/dev/null 2>&1
# shellcheck disable=SC2086  # a list of words
$as_root apt-get install -qq -y --no-install-recommends $wanted >/dev/null 2>&1 || missing "apt-get could not install them"
