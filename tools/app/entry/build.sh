# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Configures and builds with a clock, in front of the program or behind it. To be sourced.

# Stops, with the reason, unless files can be made in $build.
must_be_writable() {
  local reason
  reason=$( { mkdir -p "$build" && echo probe >"$build/.probe.$$" && rm "$build/.probe.$$"; } 2>&1) ||
    stop "cannot write in {} ({}): make room or get the rights, and try again" "$build" "${reason##*: }"
}

# Can a line on standard error be rewritten?
can_rewrite() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# How far a log has come: what ninja counts ("12 of 60"), else its last line.
how_far() {
  local last
  last=$(tail -n 1 "$log" 2>/dev/null) || true
  if [[ $last =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
    case ${BASH_REMATCH[3]} in
      Re-*) text "looking at what is there" ;;
      *) text "step {} of {}" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" ;;
    esac
  else
    printf '%.50s' "$last"
  fi
}

# Shows, from the first second on, that something goes on: on a terminal on one line, elsewhere on
# a line now and then. Ends with the shell.
progress() {
  local second=0 far what colon=": " comma=", "
  what=$(text "$1")
  [ "$language" != zh ] || colon=： comma=，
  while sleep 1 2>/dev/null && kill -0 $$ 2>/dev/null; do
    second=$((second + 1))
    far=$(how_far)
    if can_rewrite; then
      printf '\r\e[K… %s%s%d s%s' "$what" "$colon" "$second" "${far:+$comma$far}" >&2
    elif [ "$second" -eq 1 ]; then
      say "$what"
    elif [ $((second % 20)) -eq 0 ]; then
      say "$second s${far:+$comma$far}"
    fi
  done
}

to_log() { exec "$@" >"$log" 2>&1; }

# start_job COMMAND...   Starts it in a process group of its own, and without a terminal. The group
# ends when this shell does, or the program that the shell becomes, however that ends: a guard, which
# has a group of its own too, waits at a pipe whose other end nobody else holds. The job itself tells
# it which group that is, so that none is left if this shell ends in between. Sets `job`.
start_job() {
  exec 7> >(
    set -m
    {
      trap '' INT TERM HUP QUIT
      exec >/dev/null 2>&1 9<&-
      read -r group
      cat
      kill -TERM -- "-$group"
    } <&0 &
  )
  set -m
  {
    echo "$BASHPID" >&7 || exit
    exec 7>&-
    "$@"
  } </dev/null &
  job=$!
  set +m
}

# quietly WHAT COMMAND...   Keeps the command's output in the log, shown only if it fails.
quietly() {
  local what=$1 code=0 job
  progress "$what" >/dev/null 9<&- &
  local ticker=$!
  if [ "$2" = sudo ]; then  # may ask for a password: it must stay in front
    "${@:2}" >"$log" 2>&1 9<&- || code=$?
  else
    start_job to_log "${@:2}"
    # A signal with a trap ends the wait, and not the job.
    while code=0 && { wait "$job" || code=$?; } && kill -0 "$job" 2>/dev/null; do :; done
    exec 7>&-
  fi
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  ! can_rewrite || printf '\r\e[K' >&2
  [ "$code" -lt 128 ] || exit "$code"  # ended by a signal: nobody wants to read the log
  [ "$code" -eq 0 ] || { cat "$log" >&2; must_be_writable; return 1; }
}

# One at a time, from the installation on: they write one log. (9 is the lock, the directory itself.)
lock_build() {
  exec 9<"$root"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "waiting for another ./lab to finish installing or building"
    flock 9
  fi
}

# Never configured, or not to the end, or the whole tree was copied from elsewhere: from the start.
# ccache is used if it is there, and no other launcher is wanted.
configure() {
  [ ! -e "$build/build.ninja" ] ||
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" || return 0
  rm -rf "$build" && must_be_writable
  local launcher
  launcher=${CMAKE_CXX_COMPILER_LAUNCHER-$(command -v ccache)} || true
  CMAKE_CXX_COMPILER_LAUNCHER=$launcher \
    quietly "configuring, which takes up to a minute" cmake -S "$root" --preset lab ||
    stop "could not configure the build (see above)"
}

# build_targets LAST TARGET...   Builds the targets; LAST is there when they were built before.
build_targets() {
  local first_time=""
  [ -e "$build/$1" ] || first_time=", which takes minutes the first time"
  quietly "building$first_time" cmake --build "$build" --target "${@:2}" ||
    stop "could not build (see above)"
}

# Builds what the tour shows first, and goes on behind it. What is there of the later stages may be
# of an earlier state of their sources, if that build did not come to its end: it is made anew.
build_for_tour() {
  rm -f "$build"/stage*/*_client
  quietly "building what the tour shows first, a minute or two" \
    cmake --build "$build" --target tour_start || stop "could not build (see above)"
  # shellcheck disable=SC2016  # for that shell to expand
  start_job to_log nice -n 19 sh -c \
    'cmake --build "$0" --target stage_clients && cmake --build "$0" --target "$@"' \
    "$build" "${targets[@]}"
  export LAB_BUILD_BEHIND=$job LAB_BUILD_LOG=$log
}
