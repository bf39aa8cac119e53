#include "explore/virtual_time/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/deadline.h"
#include "explore/preload/entry_lock.h"
#include "explore/virtual_time/one_cpu.h"
#include "explore/virtual_time/proc.h"
#include "explore/virtual_time/virtual_time.h"
#include "faults/kit/errors.h"
#include "faults/kit/process.h"
#include "faults/kit/temp_dir.h"

namespace explore {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr const char* instead = "run it without --time virtual";

constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP};

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : forwarded) sigaddset(&set, signal);
  return set;
}

// Blocks them, for the keeper to take them when it likes to.
class BlockedSignals {
 public:
  BlockedSignals() {
    const auto set = forwarded_signals();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // For a process that is to have none of this.
  void forget() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// The deadline of a thread that waits, or of a timer that is set.
struct Due {
  ProcessEntry* process = nullptr;
  ThreadEntry* thread = nullptr;  // null: a timer's
  Instant until = no_limit;
};

class Keeper {
 public:
  Keeper(VirtualTime& time, pid_t program) : page_(time.page()), program_(program) {}
  ~Keeper() { end_all(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Until the program ends; returns its exit code. Throws CannotRun.
  int keep();

 private:
  // Waits until every thread of everybody waits; false if the program has ended.
  bool await_rest();
  [[nodiscard]] bool is_at_rest() const;
  // Nobody came to rest for a moment: the reason may be one that nobody tells of.
  void find_reason(int moments);

  // Lets every thread that waits for descriptors look at them, one after another, if something has
  // happened since they did. False if nothing has.
  bool let_all_look();
  void let_look_now();
  // Moves time on to the next deadline, and lets that thread go on.
  void let_time_go_on();
  [[nodiscard]] Due next_due() const;

  void follow_new_places();
  void settle_fates();
  void bury_dead(milliseconds limit);
  void clear(ProcessEntry& process);
  void forward_signals() const;
  void must_take_part() const;
  void must_have_known_threads() const;
  [[noreturn]] void give_up() const;
  // The others would wait for ever: nobody keeps their time any more.
  void end_all();

  Page& page_;
  const pid_t program_;
  int status_ = 0;
  bool has_ended_ = false;
  std::uint32_t activity_seen_ = 0;
  std::uint32_t places_seen_ = 0;
  std::map<ProcessEntry*, faults::Descriptor> handles_;  // pidfds
};

// Is it there, and neither stopped nor about to end?
bool takes_part(const ProcessEntry& process) {
  return process.id.load() != 0 && process.fate.load() == Fate::lives;
}

bool looks_at_descriptors(const ThreadEntry& thread) {
  return thread.state.load() == waiting && thread.waits_for == WaitsFor::descriptors;
}

void wake(ProcessEntry& process, const ThreadEntry& thread, bool by_time) {
  notify(
      process, [&thread](const ThreadEntry& other) { return &other == &thread; }, 1, by_time);
}

int Keeper::keep() {
  while (await_rest()) {
    if (!let_all_look()) let_time_go_on();
  }
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

bool Keeper::await_rest() {
  core::Deadline deadline(faults::standstill);
  for (int moments = 0; !has_ended_;) {
    const auto rests = page_.rests.load();
    follow_new_places();
    settle_fates();
    if (is_at_rest()) return true;
    const timespec moment{.tv_sec = 0, .tv_nsec = 500'000};
    if (futex_wait(page_.rests, rests, &moment) != -ETIMEDOUT) continue;
    find_reason(++moments);
    if (deadline.is_over()) give_up();
  }
  return false;
}

// A process takes its place while its creator runs: so none is missed, unless a place was taken
// meanwhile.
bool Keeper::is_at_rest() const {
  for (const auto& process : page_.processes) {
    if (process.id.load() == 0 || process.fate.load() == Fate::stopped) continue;
    if (process.fate.load() != Fate::lives || process.running.load() != 0) return false;
  }
  return page_.places_taken.load() == places_seen_ && places_seen_ != 0;
}

void Keeper::find_reason(int moments) {
  constexpr int many = 100;
  bury_dead(milliseconds(0));
  constexpr int too_many = 4'000;  // two seconds
  if (moments % many != 0) return;
  must_take_part();
  if (moments >= too_many) must_have_known_threads();
  forward_signals();
  let_look_now();  // a thread may have what a running one waits for: a mutex
}

void Keeper::let_look_now() {
  for (auto& process : page_.processes) {
    if (takes_part(process)) notify(process, looks_at_descriptors);
  }
}

bool Keeper::let_all_look() {
  const auto activity = page_.activity.load();
  if (activity == activity_seen_) return false;
  core::Deadline deadline(milliseconds(100));  // they may be others', without end
  while (packets_under_way() != 0 && !deadline.is_over()) std::this_thread::yield();
  for (auto& process : page_.processes) {
    for (const auto& thread : process.threads) {
      if (!takes_part(process) || !looks_at_descriptors(thread)) continue;
      wake(process, thread, /*by_time=*/false);
      if (!await_rest()) return true;
    }
  }
  activity_seen_ = activity;
  return true;
}

Due Keeper::next_due() const {
  Due next;
  for (auto& process : page_.processes) {
    if (!takes_part(process)) continue;
    for (auto& thread : process.threads) {
      const auto until = thread.state.load() == waiting ? thread.until.load() : no_limit;
      if (until < next.until) next = {.process = &process, .thread = &thread, .until = until};
    }
    for (const auto& timer : process.timers) {
      const auto until = timer.descriptor.load() != 0 ? timer.until.load() : no_limit;
      if (until <= page_.now.load()) continue;  // it goes off when somebody looks at it
      if (until < next.until) next = {.process = &process, .thread = nullptr, .until = until};
    }
  }
  return next;
}

void Keeper::let_time_go_on() {
  forward_signals();
  must_take_part();
  const auto next = next_due();
  if (next.process == nullptr) {  // whatever comes comes from outside
    bury_dead(milliseconds(10));
    page_.activity.fetch_add(1);
    return;
  }
  if (next.until > page_.now.load()) page_.now.store(next.until);
  if (next.thread != nullptr) return wake(*next.process, *next.thread, /*by_time=*/true);
  notify(*next.process, looks_at_descriptors);
}

void Keeper::follow_new_places() {
  const auto taken = page_.places_taken.load();
  if (taken == places_seen_) return;
  for (auto& process : page_.processes) {
    const auto id = process.id.load();
    if (id < 0) return;  // it is being forked: its number comes
    if (id == 0 || handles_.contains(&process)) continue;
    faults::Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
    if (handle.get() < 0) {
      clear(process);
    } else {
      handles_.emplace(&process, std::move(handle));
    }
  }
  places_seen_ = taken;
}

void Keeper::settle_fates() {
  bool dies = false;
  for (auto& process : page_.processes) {
    const auto fate = process.id.load() == 0 ? Fate::lives : process.fate.load();
    dies = dies || fate == Fate::dying;
    auto expected = Fate::stopping;
    if (fate == Fate::stopping && faults::is_frozen(process.id.load())) {
      process.fate.compare_exchange_strong(expected, Fate::stopped);
    }
  }
  if (dies) bury_dead(milliseconds(1));
}

void Keeper::bury_dead(milliseconds limit) {
  std::vector<pollfd> deaths;
  std::vector<ProcessEntry*> processes;
  for (const auto& [process, handle] : handles_) {
    deaths.push_back({.fd = handle.get(), .events = POLLIN, .revents = 0});
    processes.push_back(process);
  }
  if (poll(deaths.data(), deaths.size(), static_cast<int>(limit.count())) <= 0) return;
  for (std::size_t i = 0; i < deaths.size(); ++i) {
    if (deaths[i].revents != 0) clear(*processes[i]);
  }
}

void Keeper::clear(ProcessEntry& process) {
  if (process.id.load() == program_ && !has_ended_) {
    has_ended_ = waitpid(program_, &status_, 0) == program_;
  }
  handles_.erase(&process);
  process.id.store(0);
  page_.activity.fetch_add(1);  // the other ends of all that it had open
}

void Keeper::forward_signals() const {
  const auto set = forwarded_signals();
  const timespec none{};
  siginfo_t caught{};
  while (sigtimedwait(&set, &caught, &none) > 0) {
    // A terminal has sent it to both.
    if (caught.si_code <= 0) ::kill(program_, caught.si_signo);
    page_.activity.fetch_add(1);
  }
}

void Keeper::must_take_part() const {
  for (const auto& process : page_.processes) {
    const auto id = process.id.load();
    if (id <= 0) continue;
    if (process.has_entered.load() == 0 && is_static(id)) {
      throw faults::CannotRun(
          fmt::format("{} keeps real time: it is linked statically, and loads no library; {}",
                      name_of(id), instead));
    }
    if (process.refused[0] == '\0') continue;
    throw faults::CannotRun(fmt::format("{} waits in a way that virtual time does not know: {}; {}",
                                        name_of(id), process.refused.data(), instead));
  }
}

void Keeper::must_have_known_threads() const {
  for (const auto& process : page_.processes) {
    const auto id = process.id.load();
    if (id <= 0 || process.has_entered.load() == 0 || !has_threads_of_its_own(process)) continue;
    throw faults::CannotRun(
        fmt::format("{} keeps real time: it makes its threads without the C library; {}",
                    name_of(id), instead));
  }
}

void Keeper::give_up() const {
  std::string busy = "the program";
  for (const auto& process : page_.processes) {
    if (process.id.load() > 0 && process.running.load() != 0) busy = name_of(process.id.load());
  }
  throw faults::CannotRun(
      fmt::format("{} does not come to rest: for {} s it ran, or waited in a way that virtual time "
                  "does not know; {}",
                  busy, faults::standstill / std::chrono::seconds(1), instead));
}

void Keeper::end_all() {
  follow_new_places();
  for (const auto& [process, handle] : handles_) {
    (void)syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
  }
  if (has_ended_) return;
  ::kill(program_, SIGKILL);  // it may not have taken its place
  waitpid(program_, &status_, 0);
}

// In the child. It ends with the keeper, whatever ends that: and all of its own with it.
[[noreturn]] void become(std::vector<std::string>& command,
                         const std::map<std::string, std::string>& environment, pid_t keeper,
                         const BlockedSignals& blocked) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(127);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (auto& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  blocked.forget();
  execvp(pointers.front(), pointers.data());
  _exit(127);
}

// Its wall clock shows the day that it is, when virtual time is 0.
void set_wall_clock(Page& page) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  page.wall_offset.store(std::chrono::nanoseconds(since).count() - wall_start);
}

}  // namespace

bool has_keeper() {
  return std::getenv(page_variable) != nullptr;
}

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  words.front() = "/proc/self/exe";
  return words;
}

int run_in_virtual_time(std::vector<std::string> command) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  VirtualTime time(directory.path());
  set_wall_clock(time.page());
  const BlockedSignals blocked;
  const OneCpu cpu;
  const auto keeper = getpid();
  const auto program = fork();
  if (program == 0) become(command, time.environment(), keeper, blocked);
  if (program < 0) throw faults::CannotRun("cannot start a process");
  return Keeper(time, program).keep();
}

}  // namespace explore
