#include "faults/kit/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "faults/kit/errors.h"

extern char** environ;

namespace faults {
namespace {

using std::chrono::milliseconds;

// The strings of a child's arguments or environment, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int input, output, log, reaper, failure;
};

void close_range_of(int first, int last) {
  if (first > last) return;
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
  for (int fd = first; fd <= std::min<long>(last, sysconf(_SC_OPEN_MAX)); ++fd) {
    close(fd);  // a kernel before 5.9
  }
}

// Leaves the standard streams and this one, which ends with exec. A copy of a link's socket would
// keep its connection open when the link closes it; a copy of the pipe to the reaper would keep the
// reaper waiting; a copy of a sibling's pipe would keep that sibling waiting, even when the runner
// is dead.
void close_all_but(int one) {
  close_range_of(STDERR_FILENO + 1, one - 1);
  close_range_of(one + 1, std::numeric_limits<int>::max());
}

// A handler of the runner's would run in the runner's memory.
void forget_signal_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction known {};
    const bool ignored = sigaction(number, nullptr, &known) == 0 && known.sa_handler == SIG_IGN;
    if (!ignored) std::signal(number, SIG_DFL);
  }
  // Dropped, if they have come: a Ctrl-Z from when the child was in the runner's group would stop
  // it, and with it the runner, whom no `fg` would find. (SIGPIPE the runner ignores for itself.)
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) {
    std::signal(number, SIG_IGN);
    std::signal(number, SIG_DFL);
  }
}

// Runs in the child, between vfork and exec, in the runner's memory: only async-signal-safe calls.
[[noreturn]] void become(const ChildPlan& plan) {
  // First of all: whatever happens to the runner from now on, the reaper knows this process.
  if (Reaper::add_this_process(plan.reaper)) {
    dup2(plan.input, STDIN_FILENO);
    dup2(plan.output, STDOUT_FILENO);
    dup2(plan.log, STDERR_FILENO);
    close_all_but(plan.failure);
    setpgid(0, 0);
    forget_signal_handlers();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(plan.program, plan.arguments, plan.environment);
  }
  const int reason = errno;
  (void)!write(plan.failure, &reason, sizeof reason);
  _exit(127);
}

// The child has no memory of its own until it becomes a program, and the calling thread is
// suspended until then: fork would copy what a runner with many links and histories has, each time.
pid_t start(const ChildPlan& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto id = vfork();
  if (id == 0) become(plan);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return id;
}

// Is that thread stopped by a signal (proc(5))?
bool is_stopped(const std::filesystem::path& stat) {
  std::ifstream file(stat);
  std::string text;
  std::getline(file, text);
  // "pid (name) state ...": the name may hold anything, so look from its closing bracket.
  const auto name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] == 'T';
}

// The last thread of a process announces its death, and then removes its directory in /proc. A
// parent that reaps it at this moment spins in the kernel until that is done: for milliseconds, if
// both share a CPU. In virtual time, too, this takes real time: a system call passes that by.
void let_it_tidy_up() {
  const timespec moment{.tv_sec = 0, .tv_nsec = 20'000};
  (void)syscall(SYS_nanosleep, &moment, nullptr);
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw CannotRun(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return {.read = Descriptor(ends[0]), .write = Descriptor(ends[1])};
}

Descriptor open_log(const std::filesystem::path& file) {
  Descriptor log(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (log.get() >= 0) return log;
  throw CannotWrite(fmt::format("cannot write {}: {}", file.native(), std::strerror(errno)));
}

std::string Ending::text() const {
  return by_signal ? fmt::format("was killed by signal {} ({})", number, strsignal(number))
                   : fmt::format("exited with code {}", number);
}

Process::Process(const Command& command, Reaper& reaper) : reaper_(reaper) {
  auto to_child = make_pipe();
  auto from_child = make_pipe();
  auto failure = make_pipe();
  auto to_reaper = reaper.pipe();
  const auto log = open_log(command.log);
  auto arguments = command.arguments;
  auto environment = merged_environment(command.environment);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  id_ = start({.program = command.program.c_str(),
               .arguments = argument_pointers.data(),
               .environment = environment_pointers.data(),
               .input = to_child.read.get(),
               .output = from_child.write.get(),
               .log = log.get(),
               .reaper = to_reaper.get(),
               .failure = failure.write.get()});
  if (id_ < 0) throw CannotRun(fmt::format("cannot start a process: {}", std::strerror(errno)));
  to_reaper.reset();
  hold_on();
  failure.write.reset();
  must_have_started(command, failure.read);
  input_ = std::move(to_child.write);
  output_ = std::move(from_child.read);
}

void Process::must_have_started(const Command& command, const Descriptor& failure) {
  int reason = 0;
  if (read(failure.get(), &reason, sizeof reason) != sizeof reason) return;
  (void)ending(standstill);
  throw CannotRun(
      fmt::format("cannot start {}: {}", command.program.native(),
                  reason == EPIPE ? "the reaper process is gone" : std::strerror(reason)));
}

Process::Process(BegunProcess begun, Reaper& reaper)
    : reaper_(reaper),
      id_(begun.id),
      input_(std::move(begun.input)),
      output_(std::move(begun.output)) {
  hold_on();
}

void Process::hold_on() {
  handle_.reset(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  if (handle_.get() < 0) end_what_cannot_be_held(errno);
}

void Process::end_what_cannot_be_held(int reason) const {
  ::kill(id_, SIGKILL);
  reaper_.remove(id_);  // before it is waited for, as in `ending`
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  throw CannotRun(fmt::format("cannot hold on to a process: {}", std::strerror(reason)));
}

Process::~Process() {
  if (ending_) return;
  signal(SIGCONT);
  signal(SIGKILL);
  (void)ending(standstill);
}

void Process::freeze() {
  signal(SIGSTOP);
  const auto deadline = std::chrono::steady_clock::now() + standstill;
  while (!frozen()) {
    if (const auto end = ending(milliseconds(0))) {
      throw NotExercised(fmt::format("process {} {}, so nothing was frozen", id_, end->text()));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw Stalled(fmt::format("process {} got SIGSTOP {} s ago and still runs", id_,
                                standstill.count() / 1000));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void Process::thaw() {
  if (!frozen()) {
    throw NotExercised(
        fmt::format("process {} was not frozen to the moment when it should go on", id_));
  }
  signal(SIGCONT);
}

void Process::kill() {
  signal(SIGKILL);
  const auto end = ending(standstill);
  if (!end) {
    throw Stalled(fmt::format("process {} got SIGKILL {} s ago and still runs", id_,
                              standstill.count() / 1000));
  }
  if (!end->by_signal || end->number != SIGKILL) {
    throw NotExercised(fmt::format("process {} did not die of SIGKILL: it {}", id_, end->text()));
  }
}

void Process::terminate() {
  signal(SIGTERM);
}

std::optional<Ending> Process::ending(milliseconds limit) {
  if (ending_) return ending_;
  pollfd death{.fd = handle_.get(), .events = POLLIN, .revents = 0};
  if (poll(&death, 1, static_cast<int>(limit.count())) <= 0) return std::nullopt;
  // Before it is waited for: after that its number may be another process's. Its children go with
  // it, such as a server that a wrapper started.
  ::kill(-id_, SIGKILL);
  reaper_.remove(id_);
  let_it_tidy_up();
  int status = 0;
  waitpid(id_, &status, 0);
  ending_ = WIFSIGNALED(status) ? Ending{.by_signal = true, .number = WTERMSIG(status)}
                                : Ending{.by_signal = false, .number = WEXITSTATUS(status)};
  return ending_;
}

void Process::signal(int number) const {
  if (!ending_) syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0);
}

bool is_frozen(pid_t process) {
  const std::filesystem::path directory = fmt::format("/proc/{}", process);
  // The main thread of a running process is enough: to ask about the others has a price
  // (cpu_waits.h).
  if (!is_stopped(directory / "stat")) return false;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(directory / "task", error)) {
    if (!is_stopped(thread.path() / "stat")) return false;
  }
  return !error;
}

}  // namespace faults
