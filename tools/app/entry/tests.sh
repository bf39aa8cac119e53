# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Runs the tests: failures in full, all else on one line that is rewritten. To be sourced.

# test_pattern ARGS...   What -R, or its long name, is given.
test_pattern() {
  while [ $# -gt 0 ]; do
    case $1 in
      -R | --tests-regex) echo "${2:-}"; return ;;
      -R*) echo "${1#-R}"; return ;;
    esac
    shift
  done
}

tests_match() {
  [ -e "$build/build.ninja" ] && cd "$root" &&
    ! ctest --preset lab -N "$@" 2>/dev/null | grep -q '^Total Tests: 0$'
}

# Stops at once if no test can have that in its name: no built one has, and it stands nowhere in the
# sources that tests and their names come from.
check_tests() {
  local pattern part
  pattern=$(test_pattern "$@")
  [[ $pattern =~ ^[A-Za-z0-9_./]+$ ]] || return 0
  (tests_match "$@") && return
  for part in ${pattern//[.\/]/ }; do
    grep -rqF --include='*.cpp' --include='*.json' --include='*.txt' --exclude-dir=build* \
      --exclude-dir=.git -e "$part" "$root" || stop_without_tests
  done
}

stop_without_tests() {
  stop "no test is called or labelled so; ./lab test -N shows what they are called"
}

# Reads what ctest says. Passed tests are counted; the rest is shown.
show_failures_only() {
  local line done="" since=$SECONDS shown=$SECONDS
  while IFS= read -r line; do
    case $line in
      *" Start "*[0-9]": "*) continue ;;
      *Test*"#"*" Passed "*" sec") done=${line%% Test*} ;;
      *)
        ! can_rewrite || printf '\r\e[K' >&2
        printf '%s\n' "$line"
        continue ;;
    esac
    if can_rewrite; then
      printf '\r\e[K… %s tests, %d s' "${done// /}" $((SECONDS - since)) >&2
    elif [ $((SECONDS - shown)) -ge 20 ]; then
      shown=$SECONDS
      say "${done// /} tests, $((SECONDS - since)) s"
    fi
  done
  ! can_rewrite || printf '\r\e[K' >&2
}

# Becomes ctest where one wants to see all that it says.
run_tests() {
  local argument code=0
  cd "$root" || exit 2
  tests_match "$@" || stop_without_tests
  for argument; do
    case $argument in
      -V* | --verbose | --extra-verbose | --debug | -N | --show-only* | --print-labels | \
        -Q | --quiet | --progress) exec ctest --preset lab "$@" ;;
    esac
  done
  start_job show_tests "$@"
  wait "$job" || code=$?
  exit "$code"
}

show_tests() {
  set -o pipefail
  ctest --preset lab "$@" 2>&1 | show_failures_only
}
