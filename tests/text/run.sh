#!/bin/sh
# run.sh: holds libga_text against the tokenizers package, in a virtual environment of its own under out/text: run.sh
# [STRINGS [SEED]]. The library is that of the present build; where there is none, says so.
set -eu
cd "$(dirname "$0")/../.."

venv=out/text/venv
library=out/lib/libga_text.so

if [ ! -e "$library" ]; then
    echo "skipped: text: no $library (Debian: libutf8proc-dev libpcre2-dev)"
    echo "0 passed, 0 failed"
    exit 0
fi
if ! cmp -s tests/text/requirements.txt "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/text/requirements.txt
    cp tests/text/requirements.txt "$venv/requirements.txt"
fi
RUST_BACKTRACE=0 PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" tests/text/oracle.py "$library" "${1:-1000}" "${2:-1}"
