# Sourced by the commands in this folder. Sets `here`, `root` and `python`.
#
# `python` is the interpreter given by --python or ROBOTS1994_PYTHON. The package must be installed
# for this interpreter. By default, `python` is the interpreter in .venv, which is created if it is
# missing.

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$here")
python=${ROBOTS1994_PYTHON:-}

if [ "${1:-}" = "--python" ]; then
    [ $# -ge 2 ] || { echo "--python needs the path of an interpreter" >&2; exit 2; }
    python=$2
    shift 2
fi

find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    echo "Python 3.10 or newer was not found; install it" >&2
    exit 2
}

if [ -z "$python" ]; then
    if ! grep -q '^name = "scrapy_robots1994"$' "$root/pyproject.toml" 2>/dev/null; then
        echo "This folder is not in a clone of scrapy_robots1994: install the package, and name the interpreter with --python PATH" >&2
        exit 2
    fi
    venv=$here/.venv
    python=$venv/bin/python
    if ! "$python" -c '' 2>/dev/null; then
        found=$(find_python) || exit 2
        echo "Making $venv with $found" >&2
        "$found" -m venv --clear "$venv" || {
            rm -rf "$venv"
            echo "This Python cannot make virtual environments; on Debian: apt-get install python3-venv" >&2
            exit 2
        }
    fi
    # Install again if pyproject.toml has changed, because the dependencies may have changed too.
    if ! cmp -s "$root/pyproject.toml" "$venv/installed-from"; then
        echo "Installing scrapy_robots1994 from $root" >&2
        "$python" -m pip install --quiet --disable-pip-version-check --editable "$root[report]" || exit 2
        cp "$root/pyproject.toml" "$venv/installed-from"
    fi
fi

PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$here" || exit 2
