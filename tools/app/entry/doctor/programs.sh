# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# The doctor's checks of programs: compiler, CMake, the Redis server, packages. To be sourced.

# check_oldest NAME VERSION OLDEST HINT   The oldest one that is tested.
check_oldest() {
  if is_below "$2" "$3"; then
    found note compiler \
      "$(text "{} is older than {}, the oldest that is tested" "$1 $2" "${3%.0}")" "$4"
  else
    found ok compiler "$1 $2"
  fi
}

check_compiler() {
  local version
  version=$($compiler -dumpfullversion -dumpversion 2>/dev/null) || return 0  # a package, then
  case $($compiler --version 2>/dev/null) in
    *clang*) check_oldest Clang "$version" 19.0 "CXX=g++ ./lab" ;;
    *) check_oldest GCC "$version" 12.0 "$(text "install a newer one: {}" "CXX=g++-12 ./lab")" ;;
  esac
}

# The versions of what is there already; what is missing is a package.
check_build_tools() {
  local version
  check_compiler
  version=$(cmake --version 2>/dev/null) || true
  version=${version#cmake version }
  [ -z "$version" ] || ! is_below "$version" 3.21 ||
    found stop cmake "$(text "CMake {} is too old: 3.21 is needed" "${version%%[!0-9.]*}")" \
      "install a newer one"
}

check_server() {
  local program candidate version
  program=${REDIS_SERVER:-}
  for candidate in redis-server valkey-server redis-check-rdb; do
    [ -n "$program" ] || ! command -v "$candidate" >/dev/null || program=$candidate
  done
  [ -n "$program" ] || return 0  # a package, then
  # The program of redis-tools is the server when it is called so.
  version=$(
    exec -a "$(server_name "$program")" "$(command -v "$program")" --version 2>/dev/null
  ) || true
  case $version in
    *v=[0-9]*.[0-9]*) version=${version#*v=} version=${version%% *} ;;
    *) version="" ;;
  esac
  if [ -z "$version" ]; then
    found stop redis "$(text "{} is no Redis or Valkey server" "$program")" \
      "correct or unset REDIS_SERVER"
  elif is_below "$version" 6.2; then
    found stop redis \
      "$(text "{} is version {}, and 6.2 is the oldest that will do" "$program" "$version")" \
      "install a newer one, or point REDIS_SERVER at one"
  else
    found ok redis "$program $version"
  fi
}

server_name() {
  case $1 in *redis-check-rdb) echo redis-server ;; *) echo "${1##*/}" ;; esac
}

# Which packages are missing, and whether ./lab can install them.
check_packages() {
  local packages by_hand
  packages=$(command=test missing) || true
  packages=${packages//$'\n'/ }
  by_hand=$(text "as root: {}" "apt-get install --no-install-recommends $packages")
  if [ -z "$packages" ]; then
    found ok packages "all are there, for the tests too"
  elif ! command -v apt-get >/dev/null; then
    found stop packages "$(text "missing (Debian's names): {}" "$packages")" "install them"
  elif [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    found stop packages "some are missing, and there is no sudo" "$by_hand"
  elif source_answers; then
    found ok packages "$(text "./lab installs what is missing: {}" "$packages")"
  else
    found stop packages \
      "$(text "missing, and apt-get's source does not answer: {}" "$packages")" \
      "connect the network, or install them in another way"
  fi
}

# Is the source of apt-get's packages there? Asked as apt-get asks, through its proxy.
source_answers() {
  local address place helper=/usr/lib/apt/apt-helper code=0
  address=$(apt-get update --print-uris 2>/dev/null | head -n 1)
  address=${address#\'}
  [ -n "$address" ] && [ -x "$helper" ] || return 1
  place=$(mktemp -d) || return 1
  timeout 20 "$helper" -o Acquire::Retries=0 download-file "${address%%\'*}" "$place/answer" \
    >/dev/null 2>&1 || code=1
  rm -rf "$place"
  return "$code"
}
