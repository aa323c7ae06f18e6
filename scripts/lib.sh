# What the scripts share. It is sourced: `. "$(dirname "$0")/lib.sh"`.
set -Eeuo pipefail

# A script that fails says where. A command that a script runs for somebody else (`"$@" || exit`)
# has said so itself.
trap 'echo "${BASH_SOURCE[0]}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

# The folder of the scripts, for those that go elsewhere.
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# say prints a line with the name of the script.
say() { echo "${0##*/}: $*" >&2; }

# find_postgres adds the newest PostgreSQL to PATH: Debian keeps its programs apart.
find_postgres() {
  local dir
  dir=$({ ls -d /usr/lib/postgresql/*/bin /usr/local/pgsql/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null || true; } | sort -V | tail -1)
  if [ -n "$dir" ]; then PATH="$dir:$PATH"; fi
}

# need PROGRAM PACKAGE… looks for a program. CI installs the Debian packages that have it, and
# fails if it cannot; elsewhere need prints the command that installs them, and returns 1.
need() {
  local program=$1
  shift
  find_postgres
  if command -v "$program" >/dev/null 2>&1; then return 0; fi
  if [ -z "${CI:-}" ]; then
    say "$program is missing; on Debian: sudo apt-get install --no-install-recommends $*"
    return 1
  fi
  say "installing $*"
  local as=()
  if [ "$(id -u)" != 0 ]; then as=(sudo); fi
  "${as[@]}" apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive "${as[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  find_postgres
  if command -v "$program" >/dev/null 2>&1; then return 0; fi
  say "$program is missing, and CI skips nothing"
  exit 2
}

# tool NAME MODULE VERSION prints the path of a Go program that tests use: one that is installed,
# or one that is built once and kept. It prints nothing if it cannot be built.
tool() {
  local path
  path=$(command -v "$1" || true)
  if [ -z "$path" ]; then
    local dir="${XDG_CACHE_HOME:-$HOME/.cache}/octavo-tools/$1-$3"
    path="$dir/$1"
    if [ ! -x "$path" ]; then
      say "building $1"
      GOBIN="$dir" CGO_ENABLED=0 GOFLAGS=-mod=mod go install "$2@$3" >&2 || path=
    fi
  fi
  if [ -n "$path" ] || [ -z "${CI:-}" ]; then echo "$path"; return; fi
  say "$1 cannot be built, and CI skips nothing"
  exit 2
}

# javascript [browser] gets what scripts/javascript gets, and returns 1 if a part of it is missing
# and may not be installed.
javascript() {
  local result=0
  "$scripts/javascript" "$@" || result=$?
  case $result in
  0 | 1) return $result ;;
  *) exit $result ;;
  esac
}
