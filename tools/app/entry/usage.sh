# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Answers what needs no program: --help, and command lines that cannot be right. To be sourced.
#
# The help texts, and with them the names of commands and options, stand in tools/app/help.txt, and
# in Chinese in help.zh.txt. Where the program is built already, it says what is wrong, since it can
# suggest the nearest name.

help_file=$root/tools/app/help.txt

# help_of COMMAND [FILE]   Prints the help of "./lab COMMAND"; fails if there is no such command.
help_of() {
  local line wanted="=== ./lab${1:+ $1}" inside="" found=1
  while IFS= read -r line; do
    if [[ $line == "=== "* ]]; then
      inside=""
      [ "$line" != "$wanted" ] || { inside=yes found=0; }
    elif [ -n "$inside" ]; then
      printf '%s\n' "$line"
    fi
  done <"${2-$help_file}"
  return "$found"
}

# show_help COMMAND   The same in the reader's language.
show_help() {
  if [ "$language" = zh ]; then help_of "$1" "${help_file%.txt}.zh.txt"; else help_of "$1"; fi
}

# takes_value OPTION   As the help says of `command`, or of all commands.
takes_value() {
  local help
  help=$(
    help_of "$command"
    help_of "${command%% *}"
    [ "$command" != field ] || help_of "field run"
    help_of ""
  )
  grep -qE -- "^ *(-[^ ]*,)?$1(,-[^ ]*)? (TEXT|INT|UINT|FLOAT)" <<<"$help" 2>/dev/null
}

# Sets `command` to what the words name, such as "run" or "learn check", empty for the tour; `words`
# to what comes after it, and `options` to the options of all commands that were given. Old names of
# commands (CHANGELOG.md) are those of tools/app/old_names.h.
parse() {
  command="" words=() options=()
  while [ $# -gt 0 ]; do
    case $command in bench | test) words+=("$1"); shift; continue ;; esac
    case $1 in
      -?*=*) options+=("${1%%=*}") ;;
      -?*) options+=("$1"); ! takes_value "$1" || shift ;;
      *)
        if [ -z "$command" ]; then
          command=${1/#locks/field}
        elif [ "$command" = field ]; then
          case $1 in
            list | new | check | install | run) command="field $1" ;;
            *) command="field run" words+=("$1") ;;
          esac
        elif [ "$command" = servers ]; then
          command="servers $1"
        elif [ "$command" = learn ] && [ ${#words[@]} -eq 0 ]; then
          command="learn $1"
        else
          words+=("$1")
        fi ;;
    esac
    [ $# -eq 0 ] || shift
  done
}

# usage_error COMMAND ENGLISH VALUE...   Names that command's help. The program says it better, if it
# is there and knows the command.
usage_error() {
  local needed=$program
  case $command in
    bench) needed=$build/tools/bench/lab_bench ;;
    doctor | slides | test) needed= ;;
  esac
  [ ! -x "$needed" ] || [ ! -x "$program" ] || exec "$program" "${arguments[@]}"
  stop "{}; see {} --help" "$(text "${@:2}")" "./lab${1:+ $1}"
}

# "stage3_set_nx_px", "stage3", "3", and the same with "/" and a wrong turn, or that alone.
is_a_stage() {
  local stage=${1%%/*} turn="" pattern
  [[ $1 != */* ]] || turn="*/${1#*/}/"
  for pattern in "$stage" "production/$stage" "${stage}_*" "stage${stage}_*" \
    ${turn:-"stage*/*/$stage"}; do
    ! compgen -G "$root/$pattern/${turn}declared.json" >/dev/null || return 0
  done
  [ ! -e "$root/field/$stage/lock.json" ] || return 0
  [[ $1 == queued || $1 == stage6_reentrant/queued ]]  # fair_queue's earlier names
}

# The directory's name of a stage: "stage3_set_nx_px" of "3" and of "stage3".
stage_of() {
  local found
  for found in "$root/$1" "$root/${1}"_* "$root/stage${1}"_*; do
    [ ! -e "$found/declared.json" ] || { basename "$found"; return; }
  done
}

# A scenario's name is a literal in its source; the beginning of several names means all of them.
is_a_scenario() { grep -rqF -- "\"$1" "$root/faults/scenarios"; }

check_run() {
  local name
  if [[ " ${options[*]} " != *" --client "* ]]; then
    [ $# -gt 0 ] || usage_error run "which stage? such as {}" "./lab run 3 frozen_mid_release"
    is_a_stage "$1" || usage_error run "there is no stage \"{}\"" "$1"
    shift
  fi
  for name; do
    [ "$name" = all ] || is_a_scenario "$name" || usage_error run "there is no scenario \"{}\"" "$name"
  done
}

check_suite() {
  local name
  [ $# -eq 1 ] || [ $# -eq 2 ] ||
    usage_error suite "which stage? such as {}, or {}" "./lab suite 3" "./lab suite 3 4"
  for name; do
    [ -n "$(stage_of "$name")" ] || usage_error suite "there is no stage \"{}\"" "$name"
  done
}

check_diff() {
  local name
  [ $# -eq 2 ] || usage_error diff "which two stages? such as {}" "./lab diff 3 4"
  for name; do is_a_stage "$name" || usage_error diff "there is no stage \"{}\"" "$name"; done
}

# An option's name is a literal in the program's source, too.
check_bench() {
  local option
  for option; do
    [[ $option != -* ]] || grep -qF -- "\"${option%%=*}\"" "$root/tools/bench/main.cpp" \
      "$root/tools/servers/redis_option.cpp" || usage_error bench "there is no option \"{}\"" "$option"
  done
}

# Exits if there is nothing to install or build for: with the help, or with what is wrong.
answer_at_once() {
  local arguments=("$@") option command words options known
  parse "$@"
  for option in "${options[@]}" "${words[@]}"; do
    case $option in
      -h | --help)
        [ "$command" != bench ] || [ ! -x "$build/tools/bench/lab_bench" ] || exec "$program" "$@"
        show_help "$command" || usage_error "" "there is no command \"{}\"" "$command"
        exit 0 ;;
    esac
  done
  known=$(help_of "$command") || usage_error "" "there is no command \"{}\"" "$command"
  known+=$(help_of "")
  case $command in
    field) known+=$(help_of "field run") ;;  # whose options "field" had once
    *" "*) known+=$(help_of "${command% *}") ;;
  esac
  for option in "${options[@]}"; do
    grep -qwF -e "$option" <<<"$known" || usage_error "$command" "there is no option \"{}\"" "$option"
  done
  case $command in
    bench) check_bench "${words[@]}" ;;
    run) check_run "${words[@]}" ;;
    suite) check_suite "${words[@]}" ;;
    diff) check_diff "${words[@]}" ;;
    judge) [ ${#words[@]} -eq 1 ] || usage_error judge "which run? a directory in runs/" ;;
    doctor | list | slides)
      [ ${#words[@]} -eq 0 ] || usage_error "$command" "\"{}\" is not expected here" "${words[0]}" ;;
    test) check_test_options "${words[@]}"; check_tests "${words[@]}" ;;
  esac
}
