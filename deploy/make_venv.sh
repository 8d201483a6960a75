#!/usr/bin/env bash
# Make .venv with a Python of at least 3.11; PYTHON names another interpreter than python3.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="${PYTHON:-python3}"

fail() { printf 'waferline: %s\n' "$*" >&2; exit 1; }
recent() { command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2; }

python=""
for candidate in "$wanted" python3.14 python3.13 python3.12 python3.11; do
  if recent "$candidate"; then python="$candidate"; break; fi
  [ -n "${PYTHON:-}" ] && [ "$PYTHON" != python3 ] && fail "$PYTHON is missing or older than Python 3.11."
done
if [ -z "$python" ] && debian_root; then
  apt-get update -q >&2 && install python3 python3-venv
  recent python3 && python=python3
fi
if [ -z "$python" ]; then
  case "$(uname -s)" in
    Darwin) fail "Python 3.11 or newer is needed. Install it with 'brew install python' or from python.org, then run make again." ;;
    *) fail "Python 3.11 or newer is needed. On Debian: apt-get install python3 python3-venv. Elsewhere name one: make PYTHON=/path/to/python3." ;;
  esac
fi

if [ -x .venv/bin/python ] && recent .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then
  exit 0
fi
rm -rf .venv
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
  if debian_root; then
    apt-get update -q >&2 && install python3-venv
  else
    fail "this Python cannot make virtual environments. On Debian: apt-get install python3-venv. Elsewhere name another: make PYTHON=/path/to/python3."
  fi
fi
"$python" -m venv .venv || fail "$python could not make .venv; see the lines above."
