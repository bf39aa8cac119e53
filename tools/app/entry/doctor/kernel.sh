# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# The doctor's checks of what the kernel lets the fault kit do to processes. To be sourced.

# Files that may be open, processes, and the ports that the kernel gives to clients.
check_limits() {
  local files enough processes first
  files=$(ulimit -Hn) processes=$(first_line /sys/fs/cgroup/pids.max)
  enough=$(($(nproc) * 4000))  # as faults/running/parallel.cpp counts
  [ "$enough" -le 65536 ] || enough=65536
  read -r first _ < <(first_line "$proc/sys/net/ipv4/ip_local_port_range") || true
  if [ "$files" != unlimited ] && [ "$files" -lt 256 ]; then
    found stop files \
      "$(text "{} may be open at once: a run on five servers needs 256" "$files")" "ulimit -n"
  elif [ "$files" != unlimited ] && [ "$files" -lt "$enough" ]; then
    found note files "$(text "{} may be open at once: fewer scenarios run at a time" "$files")" \
      "ulimit -Hn; in a container --ulimit nofile=65536"
  else
    found ok files "$(text "{} may be open" "$files")"
  fi
  case ${processes:-max} in
    max) ;;
    *)
      [ "$processes" -ge 1000 ] ||
        found note processes \
          "$(text "{} may run in this container: too few for the tests at once" "$processes")" \
          "--pids-limit -1, or ./lab test -j 1" ;;
  esac
  [ "${first:-32768}" -gt 32000 ] ||
    found note ports "$(text "clients get ports from {} on; Clusters use 20000 to 32000" "$first")" \
      "a run that finds its port taken is repeated; no other program should be busy"
}

# Whether 127.0.0.1 is there: a port on which nothing listens refuses.
check_loopback() {
  local answer
  # In English, whatever the shell's language is.
  answer=$( (LC_ALL=C; exec 3<>/dev/tcp/127.0.0.1/1) 2>&1) || true
  case $answer in
    "" | *refused*) found ok loopback "127.0.0.1 answers" ;;
    *) found stop loopback "$(text "127.0.0.1 does not answer: {}" "${answer##*: }")" "ip link set lo up" ;;
  esac
}

# What is done to clients: they are stopped, watched through /proc, and ended by a pidfd.
check_processes() {
  local child state="" tries=0
  sleep 20 &
  child=$!
  kill -STOP "$child"
  while [ "$state" != T ] && [ $((tries += 1)) -le 100 ]; do
    state=$(sed 's/.*) \(.\).*/\1/' "$proc/$child/stat" 2>/dev/null) || state=""
    [ "$state" = T ] || sleep 0.02
  done
  kill -KILL "$child"
  wait "$child" 2>/dev/null || true
  if [ "$state" != T ]; then
    found stop freezing \
      "$(text "a process that got SIGSTOP is not shown as stopped in {}" "$proc")" \
      "use another container runtime, or a virtual machine"
  elif ! may_open_pidfd; then
    found stop freezing "pidfd_open is forbidden: a seccomp filter older than Linux 5.3" \
      "--security-opt seccomp=unconfined, or a newer Docker"
  else
    found ok freezing "processes can be frozen, killed and watched"
  fi
  [ -r "$proc/self/schedstat" ] ||
    found note standstill \
      "$(text "{} is missing: a standstill is seen later" "$proc/self/schedstat")" \
      "the tests of that are skipped; run nothing else meanwhile"
  ! command -v setarch >/dev/null || setarch "$(uname -m)" -R true 2>/dev/null ||
    found note sanitizer "personality is forbidden: ThreadSanitizer (.ci/run) may not start" \
      "--security-opt seccomp=unconfined, for .ci/run alone"
}

# System call 434 on every machine. (Where Perl is missing, it is not tried.)
may_open_pidfd() {
  ! command -v perl >/dev/null || LC_ALL=C perl -e 'exit(syscall(434, $$ + 0, 0) < 0)'
}

# The kernel has to say in which call a thread sleeps: not every container tells.
check_virtual_time() {
  local child call
  sleep 20 &
  child=$!
  call=$(first_line "$proc/$child/task/$child/syscall" 2>/dev/null) || call=""
  kill -KILL "$child"
  wait "$child" 2>/dev/null || true
  if [ -n "$call" ] && [ -r "$proc/self/task/$$/children" ]; then
    found ok searches "virtual time: explore, step, learn check and --time virtual"
  else
    found stop searches \
      "$(text "{} or children cannot be read: no virtual time" "$proc/PID/task/TID/syscall")" \
      "explore, step and learn check fail; kernel.yama.ptrace_scope 1 or less, not gVisor"
  fi
}

check_other_locks_and_servers() {
  [ "$(id -u)" -ne 0 ] || ! command -v unshare >/dev/null ||
    unshare --user --map-user=1 true 2>/dev/null ||
    found note field "no user namespaces: the lock on PostgreSQL cannot run as root" \
      "be another user than root"
  command -v script >/dev/null ||
    found note tests "script(1) is missing: the tests on a terminal are skipped" \
      "the package bsdutils"
  command -v go >/dev/null && command -v javac >/dev/null ||
    found note tests "Go or Java is missing: the tests of programs in it are skipped" \
      "put go and javac on the PATH"
  compgen -G "$root/field/*/node_modules" >/dev/null ||
    compgen -G "$root/field/*/site-packages" >/dev/null ||
    found note field "no lock of field/ was installed by npm or pip: the tests of those are skipped" \
      "./lab field install"
}
