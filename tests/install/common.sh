# For the tests of this folder, which are called with the folders of the source and of the build.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive

failed() {
    echo "FAILED: $*" >&2
    exit 1
}

quietly() { # command; its words only if it fails
    "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        failed "$*"
    }
}

expect() { # pattern, text
    grep -Eq -e "$1" <<<"$2" || failed "no '$1' in: $2"
}
