# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Finds what is missing of all that this stands on, and installs it. To be sourced.

# A Debian package, then what shows that it is there, however it came: a header that the compiler
# finds, a file by its path, or a program (any one of those named).
needs=(
  "g++ $compiler"
  "cmake cmake"
  "ninja-build ninja ninja-build samu"
  "libasio-dev asio.hpp"
  "libbenchmark-dev benchmark/benchmark.h"
  "libcli11-dev CLI/CLI.hpp"
  "libcpp-httplib-dev httplib.h"
  "libfmt-dev fmt/format.h"
  "libgmock-dev gmock/gmock.h"
  "libgtest-dev gtest/gtest.h"
  "libhiredis-dev hiredis/hiredis.h"
  "libssl-dev openssl/ssl.h"
  "nlohmann-json3-dev nlohmann/json.hpp"
  "patch patch"  # for the tests of the exercises
)
# The same for what only some commands need; these stand behind a colon.
needs_of_some=(
  "git git: test"
  "mkdocs /usr/bin/mkdocs: site"
  "mkdocs-material /usr/share/mkdocs/themes/material/main.html /usr/lib/python3/dist-packages/material/templates/main.html: site"
  "node-d3 /usr/share/nodejs/d3/dist/d3.min.js: report site test"
  "python3 python3: learn site test"
  "spin spin: model test"
)
# redis-tools carries the server (under the name redis-check-rdb), and starts none on port 6379.
[ -n "${REDIS_SERVER:-}" ] || needs+=("redis-tools redis-server valkey-server redis-check-rdb")
# All that ./lab slides needs.
needs_of_slides=(
  "nodejs node"
  "npm npm"
  "chromium chromium chromium-browser google-chrome"
  "fonts-dejavu-core /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
  # Chinese letters.
  "fonts-wqy-microhei /usr/share/fonts/truetype/wqy/wqy-microhei.ttc /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
)

one_is_there() {
  local file
  for file; do [ ! -e "$file" ] || return 0; done
  return 1
}

# The packages of which nothing is there, and which `command` needs, one a line. One call of the
# compiler looks for all headers.
missing() {
  local need package proof headers=() question= wanted=("${needs[@]}")
  for need in "${needs_of_some[@]}"; do
    [[ " ${need#*: } " != *" ${command%% *} "* ]] || wanted+=("${need%%: *}")
  done
  [ "$command" != slides ] || wanted=("${needs_of_slides[@]}")
  for need in "${wanted[@]}"; do
    read -r package proof <<<"$need"
    # shellcheck disable=SC2086  # several programs are several words
    case $proof in
      *.h | *.hpp)
        headers+=("$package")
        question+=$(printf '\n#if !__has_include(<%s>)\n%s\n#endif' "$proof" "$package") ;;
      /*) one_is_there $proof || echo "$package" ;;
      *) command -v $proof >/dev/null || echo "$package" ;;
    esac
  done
  [ ${#headers[@]} -eq 0 ] ||
    $compiler -E -P -x c++ - <<<"$question" 2>/dev/null || printf '%s\n' "${headers[@]}"
}

# unknown PACKAGE...   Those that apt-get does not have here, as Chromium on Ubuntu; one a line.
unknown() {
  local package
  command -v apt-cache >/dev/null || return 0
  for package; do [ -n "$(apt-cache show "$package" 2>/dev/null)" ] || echo "$package"; done
}

# Installs what is missing. A failing update alone does not matter: one broken source need not keep
# the others from having what we want.
install_missing() {
  local packages as_root=(env DEBIAN_FRONTEND=noninteractive) by_hand strangers=""
  mapfile -t packages < <(missing)
  [ ${#packages[@]} -gt 0 ] || return 0
  must_be_writable
  command -v apt-get >/dev/null ||
    stop "missing: {} (Debian's names); install them, and try again" "${packages[*]}"
  by_hand=$(text "as root, and try again:")
  by_hand+=$'\n'"  apt-get install --no-install-recommends ${packages[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      stop "packages are missing, and there is no sudo to install them with; run this {}" "$by_hand"
    as_root=(sudo "${as_root[@]}")
  fi
  say "installing with apt-get: {}" "${packages[*]}"
  [ "$(id -u)" -eq 0 ] || sudo -v || stop "sudo does not let us install them; run this {}" "$by_hand"
  quietly "asking what there is to install" "${as_root[@]}" apt-get update &&
    strangers=$(unknown "${packages[@]}")
  strangers=${strangers//$'\n'/, }
  [ -z "$strangers" ] ||
    stop "install {} yourself: apt-get has no such package here" \
      "${strangers/chromium/$(text "Chromium or Chrome")}"
  # Packages that are left half installed are in the way of every later installation.
  local interrupted=""
  trap 'interrupted=yes; say "ends when what is being installed is in order"' INT TERM HUP
  quietly "installing" "${as_root[@]}" apt-get install -y --no-install-recommends --no-upgrade \
    -o DPkg::Lock::Timeout=120 "${packages[@]}" ||
    stop "apt-get could not install them (see above): is there a network?"
  trap - INT TERM HUP
  [ -z "$interrupted" ] || exit 130
  [ -z "$(missing)" ] || stop "still missing after that: {}" "$(missing | xargs)"
}
