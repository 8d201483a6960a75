#!/usr/bin/env bash
# Print the path of a browser for the tests: WAFERLINE_BROWSER, then Chromium, Chrome or Edge.
# With --install, Debian's chromium is installed where that is possible (Debian, as root).
set -euo pipefail

fail() { printf 'waferline: %s\n' "$*" >&2; exit 1; }

find_browser() {
  local name path
  for name in chromium chromium-browser google-chrome google-chrome-stable microsoft-edge microsoft-edge-stable; do
    if path="$(command -v "$name" 2>/dev/null)"; then printf '%s\n' "$path"; return 0; fi
  done
  for path in \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge" \
    "$HOME/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if [ -x "$path" ]; then printf '%s\n' "$path"; return 0; fi
  done
  return 1
}

if [ -n "${WAFERLINE_BROWSER:-}" ]; then
  command -v "$WAFERLINE_BROWSER" || fail "WAFERLINE_BROWSER is set to '$WAFERLINE_BROWSER', which is not a program."
  exit 0
fi
find_browser && exit 0
if [ "${1:-}" = --install ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >&2 \
    || fail "installing Debian's chromium failed; see the lines above."
  find_browser && exit 0
fi
fail "no browser found for the tests. Install Chromium, Chrome or Edge (Debian: apt-get install chromium; macOS: brew install --cask google-chrome), or set WAFERLINE_BROWSER to one."
