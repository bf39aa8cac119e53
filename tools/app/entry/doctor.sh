# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# ./lab doctor: what this machine or container lacks or forbids, and what will not work without it.
# To be sourced. It installs and builds nothing, and needs no newer bash than that of macOS.

# The findings, an entry in each list: "ok", "note" (something is left out, or slow) or "stop"
# (./lab or ./lab test will not work); a name; a sentence; and what to do, or nothing.
statuses=() names=() sentences=() remedies=()

found() {
  statuses+=("$1") names+=("$2") sentences+=("$(text "$3")") remedies+=("$(text "${4-}")")
}

# doctor [--json]   Ends the shell: 0 if ./lab and ./lab test will work, 1 if not. A machine reads
# English.
doctor() {
  local part status code=0
  [ "${1-}" != --json ] || language=en
  for part in findings machine programs kernel; do
    # shellcheck source=/dev/null
    . "$root/tools/app/entry/doctor/$part.sh"
  done
  if [ "$(uname -s)" = Linux ]; then
    check_system
    check_build_tools
    check_server
    check_packages
    check_cores_and_memory
    check_disk
    check_temporary_directory
    check_limits
    check_loopback
    check_processes
    check_virtual_time
    check_other_locks_and_servers
    check_terminal
  else
    found stop system "$(text "this is {}: the kit needs a Linux kernel" "$(uname -s)")" \
      "use the container of the Dockerfile here, or a virtual machine"
  fi
  for status in "${statuses[@]}"; do [ "$status" != stop ] || code=1; done
  if [ "${1-}" = --json ]; then findings_as_json "$code"; else show_findings "$code"; fi
  exit "$code"
}
