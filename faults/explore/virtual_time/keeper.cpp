#include "faults/explore/virtual_time/keeper.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/deadline.h"
#include "faults/explore/preload/process_entry.h"
#include "faults/explore/virtual_time/descendants.h"
#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/explore/virtual_time/participants.h"
#include "faults/explore/virtual_time/proc.h"
#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"

namespace explore {
namespace {

using std::chrono::milliseconds;

constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP};

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : forwarded) sigaddset(&set, signal);
  return set;
}

// Blocks them, for the keeper to take them when it chooses.
class BlockedSignals {
 public:
  BlockedSignals() {
    const auto set = forwarded_signals();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // In a process in which they are not to be blocked.
  void unblock() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

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
  Keeper(VirtualTime& time, pid_t program, faults::Reaper& reaper)
      : page_(time.page()), program_(program), participants_(time.page(), program, reaper) {}

  // Returns when the program ends: its exit code. Throws CannotRun.
  int keep();

 private:
  // Waits until all threads of all participants wait; false if the program has ended.
  bool await_rest();
  // They have not come to rest for so many moments: the page may not show the reason.
  void find_reason(int moments);

  // Has every thread that waits for descriptors look at them, one after another, if something has
  // happened since they did. False if nothing has.
  bool let_all_look();
  // A program that asks again at once, as often as it is answered, waits for time all the same: for
  // the last millisecond of a lease, say. Its commands take time, then.
  void let_commands_take_time();
  // Wakes a thread of each process that a signal waits for: the shim blocks signals while it rests.
  void let_signals_in();
  // Advances time to the next deadline, and wakes that thread.
  void advance_time();
  [[nodiscard]] Due next_due() const;
  void forward_signals() const;

  SharedPage& page_;
  const pid_t program_;
  Participants participants_;
  std::uint32_t activity_seen_ = 0;
  std::uint32_t unsettled_seen_ = 0;
  int looks_ = 0;          // since time has advanced
  int unknown_waits_ = 0;  // how often they were seen, one after another
};

bool looks_at_descriptors(const ThreadEntry& thread) {
  return thread.state.load() == waiting && thread.waits_for == WaitsFor::descriptors;
}

void wake(ProcessEntry& process, const ThreadEntry& thread, bool by_time) {
  notify(
      process, [&thread](const ThreadEntry& other) { return &other == &thread; }, 1, by_time);
}

int Keeper::keep() {
  while (await_rest()) {
    if (!let_all_look()) {
      advance_time();
    } else {
      let_commands_take_time();
    }
  }
  participants_.must_fit();  // if not, that may be why it has ended
  const int status = *participants_.ending();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Keeper::await_rest() {
  core::Deadline deadline(faults::standstill);
  for (int moments = 0; !participants_.ending();) {
    const auto rests = page_.rests.load();
    if (participants_.are_at_rest(Participants::Ask::if_need_be)) return true;
    const timespec moment{.tv_sec = 0, .tv_nsec = 500'000};
    if (futex_wait(page_.rests, rests, &moment) != -ETIMEDOUT) continue;
    participants_.remove_dead(milliseconds(0));
    if (participants_.are_at_rest(Participants::Ask::always)) return true;
    find_reason(++moments);
    if (!deadline.is_over()) continue;
    throw faults::CannotRun(fmt::format("{} does not come to rest: for {} s it had something to do",
                                        participants_.busy(),
                                        faults::standstill / std::chrono::seconds(1)));
  }
  return false;
}

void Keeper::find_reason(int moments) {
  constexpr int many = 100;
  constexpr int too_many = 40;  // two seconds
  if (moments % many != 0) return;
  participants_.must_take_part();
  forward_signals();
  const auto unknown = participants_.unknown_wait();
  unknown_waits_ = unknown && moments != many ? unknown_waits_ + 1 : 0;
  if (unknown_waits_ >= too_many) throw faults::CannotRun(*unknown);
}

bool Keeper::let_all_look() {
  const auto activity = page_.activity.load();
  if (activity == activity_seen_) return false;
  core::Deadline deadline(milliseconds(100));  // they may be others', without end
  while (packets_under_way() != 0 && !deadline.is_over()) std::this_thread::yield();
  let_signals_in();
  for (auto& process : page_.processes) {
    for (const auto& thread : used_threads(process)) {
      if (!participants_.takes_part(process) || !looks_at_descriptors(thread)) continue;
      wake(process, thread, /*by_time=*/false);
      if (!await_rest()) return true;
    }
  }
  activity_seen_ = activity;
  return true;
}

void Keeper::let_commands_take_time() {
  constexpr int many = 10'000;
  constexpr Instant moment = second / 1'000;
  if (++looks_ < many) return;
  looks_ = 0;
  const auto then = page_.now.load() + moment;
  if (next_due().until <= then) return advance_time();
  page_.now.store(then);
}

void Keeper::let_signals_in() {
  const auto unsettled = page_.unsettled.load();
  if (unsettled == unsettled_seen_) return;
  unsettled_seen_ = unsettled;
  for (auto& process : page_.processes) {
    if (!participants_.takes_part(process) || !has_pending_signal(process.id.load())) continue;
    const auto threads = used_threads(process);
    const auto waits = std::find_if(threads.begin(), threads.end(), [](const auto& thread) {
      return thread.state.load() == waiting;
    });
    if (waits != threads.end()) wake(process, *waits, /*by_time=*/false);
  }
}

Due Keeper::next_due() const {
  Due next;
  for (auto& process : page_.processes) {
    if (!participants_.takes_part(process)) continue;
    for (auto& thread : used_threads(process)) {
      const auto until = thread.state.load() == waiting ? thread.until.load() : no_limit;
      if (until < next.until) next = {.process = &process, .thread = &thread, .until = until};
    }
    for (const auto& timer : process.timers) {
      const auto until = timer.descriptor.load() != 0 ? timer.until.load() : no_limit;
      if (until <= page_.now.load()) continue;  // it goes off when a thread looks at it
      if (until < next.until) next = {.process = &process, .thread = nullptr, .until = until};
    }
  }
  return next;
}

void Keeper::advance_time() {
  looks_ = 0;
  forward_signals();
  participants_.must_take_part();
  const auto next = next_due();
  if (next.process == nullptr) {  // they wait for something from outside
    participants_.remove_dead(milliseconds(10));
    page_.activity.fetch_add(1);
    return;
  }
  if (next.until > page_.now.load()) page_.now.store(next.until);
  if (next.thread != nullptr) return wake(*next.process, *next.thread, /*by_time=*/true);
  notify(*next.process, looks_at_descriptors);
}

void Keeper::forward_signals() const {
  const auto set = forwarded_signals();
  const timespec none{};
  siginfo_t caught{};
  while (sigtimedwait(&set, &caught, &none) > 0) {
    // A terminal has sent it to both.
    if (caught.si_code <= 0) ::kill(program_, caught.si_signo);
    page_.activity.fetch_add(1);
    page_.unsettled.fetch_add(1);
  }
}

// In the child. It is killed when the keeper ends, for whatever reason. `Descendants` kills the
// processes that it has started, or, if the keeper is killed, its reaper does.
[[noreturn]] void become(std::vector<std::string>& command,
                         const std::map<std::string, std::string>& environment, pid_t keeper,
                         const BlockedSignals& blocked) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(127);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (auto& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  blocked.unblock();
  execvp(pointers.front(), pointers.data());
  _exit(127);
}

// Wall clocks show today's date when virtual time is 0.
void set_wall_clock(SharedPage& page) {
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
  const Descendants descendants;
  const auto keeper = getpid();
  const auto program = fork();
  if (program == 0) become(command, time.environment(), keeper, blocked);
  if (program < 0) throw faults::CannotRun("cannot start a process");
  return Keeper(time, program, reaper).keep();
}

}  // namespace explore
