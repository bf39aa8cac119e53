# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Shows what the doctor found; helpers of the checks. To be sourced.

proc=/proc

# show_findings CODE   The exit code.
show_findings() {
  local i name columns
  for i in "${!statuses[@]}"; do
    name=$(text "row: ${names[$i]}") name=${name#row: }
    count_columns "$name"
    show_wrapped "$(printf '%-5s %s%*s' "${statuses[$i]}" "$name" $((10 - columns)) "")" \
      "${sentences[$i]}"
    [ -z "${remedies[$i]}" ] || show_wrapped "$(printf '%16s' "")" "-> ${remedies[$i]}"
  done
  if [ "$1" -eq 0 ]; then
    printf '\n%s\n' "$(text "./lab and ./lab test will work here.")"
  else
    printf '\n%s\n' "$(text './lab or ./lab test will not work here: see the lines with "stop".')"
  fi
}

# show_wrapped MARGIN SENTENCE   On lines of at most 100 columns, below each other: broken between
# words, or after a Chinese sign.
show_wrapped() {
  local line=$1 sentence=$2 sign part columns
  for sign in ， ； ： 、; do sentence=${sentence//$sign/$sign$'\n'}; done
  sentence=${sentence// /$'\n' }
  while IFS= read -r part; do
    count_columns "$line${part# }"
    if [ "$columns" -ge 100 ]; then
      printf '%s\n' "$line"
      line=$(printf '%16s' "") part=" ${part# }"
    fi
    line+=$part
  done <<<" $sentence"
  printf '%s\n' "$line"
}

# count_columns TEXT   Sets `columns`. A Chinese letter takes two, and bash counts it as one or three,
# which depends on the locale.
count_columns() {
  local narrow=${1//[![:ascii:]]/} wide=，
  columns=$((${#narrow} + (${#1} - ${#narrow}) * 2 / ${#wide}))
}

# findings_as_json CODE
findings_as_json() {
  local i separator="" works=true
  [ "$1" -eq 0 ] || works=false
  printf '{"works": %s, "findings": [' "$works"
  for i in "${!statuses[@]}"; do
    printf '%s\n  {"status": %s, "name": %s, "found": %s, "what_to_do": %s}' "$separator" \
      "$(as_json "${statuses[$i]}")" "$(as_json "${names[$i]}")" \
      "$(as_json "${sentences[$i]}")" "$(as_json "${remedies[$i]}")"
    separator=,
  done
  printf '\n]}\n'
}

as_json() {
  local text=${1//\\/\\\\}
  text=${text//$'\n'/ }
  printf '"%s"' "${text//\"/\\\"}"
}

# first_line FILE   Nothing if there is none.
first_line() {
  local line=""
  [ ! -r "$1" ] || IFS= read -r line <"$1" || true
  printf '%s' "$line"
}

# free_mb DIRECTORY   What is free on its disk; 0 if that is not known.
free_mb() {
  local free=""
  read -r _ _ _ free _ < <(df -Pm "$1" 2>/dev/null | tail -n 1) || true
  echo "${free:-0}"
}

# is_below VERSION VERSION   Of numbers between dots; what follows the first two does not count.
is_below() {
  local major=${1%%.*} minor=${1#*.} other_major=${2%%.*} other_minor=${2#*.}
  major=${major%%[!0-9]*} minor=${minor%%[!0-9]*} other_minor=${other_minor%%[!0-9]*}
  [ "${major:-0}" -lt "$other_major" ] ||
    { [ "${major:-0}" -eq "$other_major" ] && [ "${minor:-0}" -lt "$other_minor" ]; }
}
