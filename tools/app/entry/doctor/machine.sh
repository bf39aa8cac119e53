# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# The doctor's checks of the machine: system, cores, memory, disk, terminal. To be sourced.

shared_memory=/dev/shm
# What one compiler takes at most, and what all that ./lab test --all builds takes on the disk.
compiler_mb=1400
build_mb=2500
# The smallest terminal on which ./lab table is redrawn while it fills: a row for each scenario.
table_columns=135
table_rows=55

# Is this a container? Docker and Podman leave a file each, and many set a variable.
in_container() {
  [ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -n "${container-}" ]
}

check_system() {
  local kernel machine name="" where=""
  kernel=$(uname -r) machine=$(uname -m)
  name=$(sed -n 's/^PRETTY_NAME="*\([^"]*\)"*$/, \1/p' /etc/os-release 2>/dev/null) || true
  ! in_container || where=$(text ", in a container")
  if is_below "$kernel" 5.3; then
    found stop system \
      "$(text "kernel {} is too old: processes are ended by pidfd_open (Linux 5.3)" "$kernel")" \
      "on WSL 1 change to WSL 2 (wsl --set-version); in gVisor use the usual runtime"
  else
    found ok system "$(text "Linux {} on {}" "$kernel" "$machine$name$where")"
  fi
  case $kernel in
    *[Mm]icrosoft*)
      found note wsl "WSL 2: it takes half of the machine's memory, and Windows' disks are slow" \
        "keep the tree in Linux' own file system; more memory: .wslconfig" ;;
  esac
  check_machine "$machine"
}

# check_machine MACHINE   What it is, and whether another one is imitated.
check_machine() {
  case $1 in
    x86_64)
      ! grep -qs 'CPU implementer\|VirtualApple' "$proc/cpuinfo" ||
        found note machine "an x86-64 image on an ARM machine: every program is translated" \
          "use an arm64 image: translated, runs are slow and often inconclusive" ;;
    aarch64 | arm64)
      found note machine "64-bit ARM: the kit works; of ./lab servers only redis-8.10 does" ;;
    *)
      found stop machine \
        "$(text "virtual time knows x86-64 and 64-bit ARM, and this is {}" "$1")" \
        "use a machine or a container of one of those" ;;
  esac
}

# usable_cores   Those that this process may use, by its affinity and by the container's quota.
usable_cores() {
  local cores quota period
  cores=$(nproc)
  read -r quota period < <(first_line /sys/fs/cgroup/cpu.max) || true
  case ${quota:-max} in
    max) ;;
    *) [ $((quota / period)) -ge "$cores" ] || cores=$(((quota + period - 1) / period)) ;;
  esac
  echo "$cores"
}

# available_mb   Memory: of the machine, or what the container may have.
available_mb() {
  local free limit
  free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' "$proc/meminfo")
  free=$((${free:-0} / 1024))
  limit=$(first_line /sys/fs/cgroup/memory.max)
  case ${limit:-max} in
    max) ;;
    *) [ $((limit / 1048576)) -ge "$free" ] || free=$((limit / 1048576)) ;;
  esac
  echo "$free"
}

# Ninja starts two more compilers than there are processors.
check_cores_and_memory() {
  local cores memory jobs fit
  cores=$(usable_cores) memory=$(available_mb) jobs=$(($(nproc) + 2))
  fit=$((memory / compiler_mb))
  if [ "$fit" -lt 1 ]; then
    found stop memory \
      "$(text "{} MB are free, and one compiler needs {} MB" "$memory" "$compiler_mb")" "free some"
  elif [ "$fit" -lt "$jobs" ]; then
    found note memory \
      "$(text "{} MB are free, too few for {} compilers at once" "$memory" "$jobs")" \
      "CMAKE_BUILD_PARALLEL_LEVEL=$fit ./lab"
  else
    found ok memory "$(text "{} MB free" "$memory")"
  fi
  if [ "$cores" -lt 2 ]; then
    found note cores "one core: builds take long, and runs may be inconclusive" \
      "run what is inconclusive again; close other programs"
  elif [ "$cores" -lt "$(nproc)" ]; then
    found note cores \
      "$(text "{} of {}: the container's quota, which programs do not see" "$cores" "$(nproc)")" \
      "$(text "fewer at once: {}" \
        "CMAKE_BUILD_PARALLEL_LEVEL=$cores ./lab; ./lab test -j $((cores * 2))")"
  else
    found ok cores "$cores"
  fi
}

# Room for the build; whether files can be made beside it, and run.
check_disk() {
  local room there=0 probe=$root/.doctor.$$ kind
  room=$(free_mb "$root")
  [ ! -d "$build" ] || there=$(du -sm "$build" 2>/dev/null) || true
  there=${there%%[!0-9]*}
  if ! { printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe"; } 2>/dev/null; then
    found stop disk "$(text "cannot write in {}" "$root")" \
      "get the rights, or copy the tree elsewhere"
  elif ! "$probe" 2>/dev/null; then
    found stop disk "$(text "programs in {} may not be run (noexec)" "$root")" \
      "copy the tree elsewhere"
  elif [ $((room + there)) -lt "$build_mb" ]; then
    found stop disk "$(text "{} MB are free: building everything, with the tests, takes {} MB" \
      "$room" "$build_mb")" "make room"
  else
    found ok disk "$(text "{} MB free" "$room")"
  fi
  rm -f "$probe"
  kind=$(stat -f -c %T "$root" 2>/dev/null) || kind=""
  case $kind in
    v9fs | fuseblk | fuse | smb* | cifs | nfs | vboxsf | UNKNOWN*)
      found note disk \
        "$(text "the tree is on {}, shared with another system: builds are slow" "$kind")" \
        "clone it into the Linux system's own disk" ;;
  esac
}

# As faults/kit/temp_dir.cpp chooses.
check_temporary_directory() {
  local room
  if [ -n "${TMPDIR-}" ]; then
    if [ -d "$TMPDIR" ] && [ -w "$TMPDIR" ]; then
      found ok temporary "TMPDIR: $TMPDIR"
    else
      found stop temporary \
        "$(text "TMPDIR is {}, and no directory that can be written" "$TMPDIR")" "unset TMPDIR"
    fi
    return 0
  fi
  room=$(free_mb "$shared_memory")
  if [ -w "$shared_memory" ] && [ "$room" -ge 256 ] && is_memory "$shared_memory"; then
    found ok temporary "$(text "{}, {} MB free" "$shared_memory" "$room")"
  else
    found note temporary \
      "$(text "/tmp: {} has not 256 MB free, or may not run programs" "$shared_memory")" \
      "in a container --shm-size=512m; a slow disk makes runs inconclusive"
  fi
}

is_memory() {
  [ "$(stat -f -c %T "$1" 2>/dev/null)" = tmpfs ] &&
    ! grep -qs "^[^ ]* $1 [^ ]* [^ ]*noexec" "$proc/mounts"
}

# What can be shown: UTF-8, and the table in its width.
check_terminal() {
  local rows=0 columns=0 letters=${LC_ALL:-${LC_CTYPE:-${LANG-}}}
  case $letters in
    *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) ;;
    *)
      found note locale "$(text "{}: a pager shows lines and bars as <E2>" \
        "${letters:-$(text "no locale")}")" "export LANG=C.UTF-8" ;;
  esac
  read -r rows columns < <({ stty size </dev/tty; } 2>/dev/null) || true
  if [ "${columns:-0}" -eq 0 ]; then
    found ok terminal "none: what is shown is as wide as it needs"
  elif [ "$columns" -lt "$table_columns" ] || [ "$rows" -lt "$table_rows" ]; then
    found note terminal "$(text \
      "{} by {}: ./lab table fills as one watches from {} by {} on" \
      "$columns" "$rows" "$table_columns" "$table_rows")" \
      "a smaller font; timelines need 120 columns"
  else
    found ok terminal "$columns$(text " by ")$rows"
  fi
}
