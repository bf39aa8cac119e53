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

# check_test_options ARGS...   Stops at one that ctest does not have: ctest goes on without it.
check_test_options() {
  local option
  command -v ctest >/dev/null || return 0
  for option; do
    case $option in
      --all) ;;
      --?*) ctest --help | grep -E -- "(^|[ ,])${option%%=*}([ ,=<]|\$)" >/dev/null ||
        usage_error test "there is no option \"{}\"" "$option" ;;
    esac
  done
}

# choose_tests ARGS...   Sets `words` to what goes to ctest, and `tests` to the target with the tests:
# those of the locks, or all if that is asked for, or if tests are chosen by name or label.
choose_tests() {
  local argument
  words=() tests=lab_lock_tests
  for argument; do
    case $argument in
      -[RLEINF]* | --tests-* | --label-* | --exclude-* | --show-only* | --print-labels | \
        --rerun-failed | --all) tests=all ;;
    esac
    [ "$argument" = --all ] || words+=("$argument")
  done
  # Most of these wait for a lease, so more of them run at once; of two -j the last counts.
  [ "$tests" = all ] || words=(-L '^locks$' -j 20 "${words[@]}")
}

# count_tests PRESET ARGS...   0 if nothing is built.
count_tests() {
  local said
  [ -e "$build/build.ninja" ] || { echo 0; return; }
  said=$(cd "$root" && ctest --preset "$1" -N "${@:2}" 2>/dev/null) || true
  [[ $said != *"Total Tests: "* ]] || echo "${said##*Total Tests: }"
}

# preset_for ARGS...   Each test by itself where names are asked for; else many share a program.
preset_for() {
  case " $* " in
    *" -N "* | *" --show-only"*) echo lab-each; return ;;
  esac
  if [ -n "$(test_pattern "$@")" ] && [ "$(count_tests lab-each "$@")" != 0 ]; then
    echo lab-each
  else
    echo lab
  fi
}

# Stops at once if no test can have that in its name: no built one has, and it stands nowhere in the
# sources that tests and their names come from.
check_tests() {
  local pattern part
  pattern=$(test_pattern "$@")
  [[ $pattern =~ ^[A-Za-z0-9_./]+$ ]] || return 0
  [ "$(count_tests "$(preset_for "$@")" "$@")" = 0 ] || return 0
  for part in ${pattern//[.\/]/ }; do
    grep -rqF --include='*.cpp' --include='*.json' --include='*.txt' --exclude-dir=build* \
      --exclude-dir=.git -e "$part" "$root" || stop_without_tests
  done
}

stop_without_tests() {
  stop "no test is called or labelled so; ./lab test -N shows what they are called"
}

# in_words LINE   A line of ctest's; one that sums up is in the reader's language.
in_words() {
  local failed
  case $1 in
    *"% tests passed, "*" tests failed out of "*)
      failed=${1#*passed, }
      text "{}% tests passed, {} tests failed out of {}" "${1%%\%*}" "${failed%% *}" "${1##* }" ;;
    "Total Test time (real) = "*) text "Total Test time (real) = {}" "${1##*= }" ;;
    "The following tests FAILED:") text "The following tests FAILED:" ;;
    *) printf '%s' "$1" ;;
  esac
}

# show_failures_only TESTS   Reads what ctest says. What passed is counted; the rest is shown, of a
# program with several tests as well. If all passed, it was as many TESTS. Cells on which the machine
# did not keep up are said again at the end.
show_failures_only() {
  local line done="" run="" since=$SECONDS shown=$SECONDS inconclusive=()
  while IFS= read -r line; do
    case $line in
      *" Start "*[0-9]": "* | "Label Time Summary:" | *" sec*proc ("*) continue ;;
      "[ RUN      ]"*) run=$line$'\n'; continue ;;
      "[       OK ]"*) run=""; continue ;;
      *Test*"#"*" Passed "*" sec") done=${line%% Test*} ;;
      *)
        [[ $line != "inconclusive: "* ]] || inconclusive+=("${line#*: }")
        [[ $line != "100% tests passed"* ]] || line="${line% *} ${1:-${line##* }}"
        ! can_rewrite || printf '\r\e[K' >&2
        printf '%s%s\n' "$run" "$(in_words "$line")"
        run=""
        continue ;;
    esac
    if can_rewrite; then
      printf '\r\e[K… %s, %d s' "${done// /}" $((SECONDS - since)) >&2
    elif [ $((SECONDS - shown)) -ge 20 ]; then
      shown=$SECONDS
      say "${done// /}, $((SECONDS - since)) s"
    fi
  done
  ! can_rewrite || printf '\r\e[K' >&2
  [ ${#inconclusive[@]} -eq 0 ] || show_inconclusive "${inconclusive[@]}"
}

# show_inconclusive CELL...   Each is a lock, a scenario, and the test's name.
show_inconclusive() {
  local cell tests=""
  printf '\n%s\n' \
    "$(text "{} inconclusive: the machine did not keep up, and nothing was shown of" $#)"
  for cell; do
    printf '    %s\n' "${cell% *}"
    tests+=${tests:+|}${cell##* }
  done
  printf '%s\n' "$(text "run just these again: {}" "./lab test -j 1 -R '^($tests)'")"
}

# Becomes ctest where one wants to see all that it says.
run_tests() {
  local argument preset code=0
  cd "$root" || exit 2
  preset=$(preset_for "$@")
  [ "$(count_tests "$preset" "$@")" != 0 ] || stop_without_tests
  for argument; do
    case $argument in
      -V* | --verbose | --extra-verbose | --debug | -N | --show-only* | --print-labels | \
        -Q | --quiet | --progress) exec ctest --preset "$preset" "$@" ;;
    esac
  done
  start_job show_tests "$preset" "$@"
  wait "$job" || code=$?
  exit "$code"
}

# show_tests PRESET ARGS...
show_tests() {
  local tests
  tests=$(count_tests lab-each "${@:2}")
  [ "$tests" != 0 ] || tests=$(count_tests "$@")
  set -o pipefail
  ctest --preset "$@" 2>&1 | show_failures_only "$tests"
}
