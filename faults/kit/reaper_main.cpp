// The reaper: a small process that outlives the runner by a moment and tidies up after it.
//
// Its standard input is a pipe from the runner, which any end of the runner closes: the end of
// main, Ctrl-C, SIGKILL. It then kills every process, with its process group, and removes every
// directory that was named on the pipe and not taken back:
//   +pid N   -pid N   +dir PATH   -dir PATH      one a line
// It holds each process by a pidfd, so that a recycled process number cannot mislead it.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace {

struct Charges {
  std::map<int, int> processes;  // process number → pidfd
  std::set<std::string> directories;
};

void take_note(const std::string& line, Charges& charges) {
  if (line.size() < 6) return;
  const bool added = line[0] == '+';
  const auto what = line.substr(5);
  if (line.compare(1, 4, "dir ") == 0) {
    if (added) {
      charges.directories.insert(what);
    } else {
      charges.directories.erase(what);
    }
    return;
  }
  const int pid = std::stoi(what);
  if (added) {
    charges.processes[pid] = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  } else if (const auto found = charges.processes.find(pid); found != charges.processes.end()) {
    close(found->second);
    charges.processes.erase(found);
  }
}

void end_processes(const Charges& charges) {
  for (const auto& [pid, pidfd] : charges.processes) {
    // Its group first, while it lives and the group is surely its own.
    pollfd death{.fd = pidfd, .events = POLLIN, .revents = 0};
    if (pidfd >= 0 && poll(&death, 1, 0) == 0) kill(-pid, SIGKILL);
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  }
  // A death takes its time, and the runner that waits for us relies on it.
  for (const auto& [pid, pidfd] : charges.processes) {
    constexpr int limit_ms = 5'000;
    pollfd death{.fd = pidfd, .events = POLLIN, .revents = 0};
    poll(&death, 1, limit_ms);
  }
}

bool remove_directories(const Charges& charges) {
  std::error_code failed;
  for (const auto& directory : charges.directories) {
    std::error_code error;
    std::filesystem::remove_all(directory, error);
    if (error) failed = error;
  }
  return !failed;
}

}  // namespace

int main() {
  setsid();  // out of the terminal's reach: Ctrl-C is for the runner
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  Charges charges;
  for (std::string line; std::getline(std::cin, line);) take_note(line, charges);
  end_processes(charges);
  // A dying grandchild may still write into a directory: then it is removed again.
  for (int attempt = 0; attempt < 50 && !remove_directories(charges); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 0;
}
