#include "faults/explore/virtual_time/participants.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "faults/explore/virtual_time/descendants.h"
#include "faults/explore/virtual_time/system_call.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using std::chrono::milliseconds;

constexpr const char* instead = "run it without --time virtual";

std::string keeps_real_time(pid_t process) {
  return fmt::format("{} keeps real time: it is linked statically, and loads no library; {}",
                     explore::name_of(process), instead);
}

// True if it never takes a slot by itself.
bool loads_no_library(pid_t process) {
  return is_static(process) && !is_shim(process);
}

bool is_there(const ProcessEntry& process) {
  return process.id.load() > 0;
}

// Absent: the C library has not made the thread, or it ends.
std::uint32_t state_of(const ProcessEntry& process, pid_t thread) {
  for (const auto& entry : used_threads(process)) {
    const auto state = entry.state.load();
    if (state != absent && entry.id.load() == thread) return state;
  }
  return absent;
}

bool sleeps_without_limit(pid_t process, pid_t thread) {
  const auto call = call_of(process, thread);
  return call && !has_limit(*call);
}

// A thread's condition, by the page and the kernel together.
enum class Condition {
  stopped,
  foreign,  // not made by the C library: an allocator's, say
  waits,    // by its entry in the page
  silent,   // sleeps without a limit, and its entry does not say so
  busy,
};

Condition condition_of(const ProcessEntry& process, const Thread& thread) {
  const auto said = state_of(process, thread.id);
  if (thread.state == 'T') return Condition::stopped;
  if (said == absent) return Condition::foreign;
  if (thread.state != 'S') return Condition::busy;
  if (said == waiting) return Condition::waits;
  const bool sleeps = sleeps_without_limit(process.id.load(), thread.id);
  return sleeps ? Condition::silent : Condition::busy;
}

// Those that live and have not said that they wait.
std::vector<Thread> others_of(const ProcessEntry& process) {
  auto threads = threads_of(process.id.load());
  std::erase_if(threads, [&](const Thread& thread) {
    return thread.state == 'Z' || state_of(process, thread.id) == waiting;
  });
  return threads;
}

}  // namespace

Participants::~Participants() {
  if (ending_) return;
  ::kill(program_, SIGKILL);
  waitpid(program_, nullptr, 0);
}

bool Participants::takes_part(const ProcessEntry& process) const {
  return is_there(process) && !seen_.stopped.contains(&process);
}

bool Participants::are_at_rest(Ask ask) {
  const auto rests = page_.rests.load();
  const auto unsettled = page_.unsettled.load();
  const bool all = unsettled != settled_;
  if (all) remove_dead(milliseconds(0));
  if (!follow_new_slots() || (ask == Ask::if_need_be && !may_be_at_rest())) return false;
  auto view = ask_kernel(all);
  // A thread may have woken another after that was seen, and have fallen asleep since then. Those
  // that say that they wait have counted that.
  if (!view || (!view->silent.empty() && view != ask_kernel(all))) return false;
  if (page_.rests.load() != rests || page_.unsettled.load() != unsettled) return false;
  settled_ = unsettled;
  if (!all) view->stopped.insert(seen_.stopped.begin(), seen_.stopped.end());
  if (view->silent != seen_.silent) page_.activity.fetch_add(1);  // they may have written something
  seen_ = std::move(*view);
  return true;
}

bool Participants::may_be_at_rest() const {
  return std::all_of(page_.processes.begin(), page_.processes.end(), [&](const auto& process) {
    return !takes_part(process) || process.running.load() <= process.asleep.load();
  });
}

// Those that have not said that they wait come first: most often one of them runs.
std::optional<Participants::View> Participants::ask_kernel(bool about_all) const {
  View view;
  for (const bool said : {false, true}) {
    if (said && !about_all) break;
    for (auto& process : page_.processes) {
      if (!is_there(process) || (process.running.load() == 0) != said) continue;
      const bool asleep = add(process, view);
      process.asleep.store(asleep ? process.running.load() : 0);
      if (!asleep) return std::nullopt;
    }
  }
  return view;
}

bool Participants::add(ProcessEntry& process, View& view) const {
  const auto id = process.id.load();
  auto threads = threads_of(id);
  std::erase_if(threads, [](const Thread& thread) { return thread.state == 'Z'; });
  if (threads.empty()) return false;  // `remove_dead` is to remove it
  std::map<Condition, std::size_t> counts;
  for (const auto& thread : threads) {
    const auto condition = condition_of(process, thread);
    if (condition == Condition::busy) return false;
    if (condition == Condition::waits) view.waiting.push_back(thread);
    if (condition == Condition::silent) view.silent.push_back(thread);
    ++counts[condition];
  }
  if (counts[Condition::stopped] > 0) {
    view.stopped.insert(&process);
    return counts[Condition::stopped] == threads.size();
  }
  // A silent thread may wait for a foreign one.
  const auto silent = counts[Condition::silent];
  if (silent != process.running.load() || (silent > 0 && counts[Condition::foreign] > 0)) {
    return false;
  }
  return !begins_another(id);
}

// True if it has a child without a slot, whose program is being loaded. One that is linked
// statically never takes a slot by itself.
bool Participants::begins_another(pid_t process) const {
  const auto children = children_of(process);
  return std::any_of(children.begin(), children.end(), [&](pid_t child) {
    const bool has_slot = std::any_of(page_.processes.begin(), page_.processes.end(),
                                      [&](const auto& other) { return other.id == child; });
    if (has_slot || is_dead(child)) return false;
    if (!loads_no_library(child)) return true;
    if (is_reaper(child)) return false;
    reaper_.add(child);
    throw faults::CannotRun(keeps_real_time(child));
  });
}

bool Participants::follow_new_slots() {
  const auto taken = page_.slots_taken.load();
  if (taken == slots_seen_) return taken != 0;
  for (auto& process : page_.processes) {
    const auto id = process.id.load();
    if (id < 0) return false;  // it is being forked, and its number is not known yet
    const auto known = handles_.find(&process);
    if (id == 0 || (known != handles_.end() && known->second.id == id)) continue;
    faults::Descriptor death(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
    if (death.get() < 0) {
      clear(process);
    } else {
      handles_[&process] = {.id = id, .death = std::move(death)};
      reaper_.add(id);
    }
  }
  slots_seen_ = taken;
  return true;
}

void Participants::remove_dead(milliseconds limit) {
  std::vector<pollfd> deaths;
  std::vector<ProcessEntry*> processes;
  for (const auto& [process, handle] : handles_) {
    deaths.push_back({.fd = handle.death.get(), .events = POLLIN, .revents = 0});
    processes.push_back(process);
  }
  if (poll(deaths.data(), deaths.size(), static_cast<int>(limit.count())) <= 0) return;
  for (std::size_t i = 0; i < deaths.size(); ++i) {
    if (deaths[i].revents != 0) clear(*processes[i]);
  }
}

void Participants::clear(ProcessEntry& process) {
  if (process.id.load() == program_ && !ending_) {
    int status = 0;
    if (waitpid(program_, &status, 0) == program_) ending_ = status;
  } else {
    waitpid(process.id.load(), nullptr, WNOHANG);  // if it had lost its parent
  }
  if (handles_.erase(&process) > 0) reaper_.remove(process.id.load());
  seen_.stopped.erase(&process);
  process.id.store(0);
  page_.activity.fetch_add(1);   // the other ends of its descriptors
  page_.unsettled.fetch_add(1);  // its parent gets a signal
}

void Participants::must_fit() const {
  if (page_.is_full.load() == 0) return;
  throw faults::CannotRun(
      fmt::format("virtual time has room for {} processes at a time, and this program starts "
                  "more; {}",
                  SharedPage::most_processes, instead));
}

void Participants::must_take_part() const {
  must_fit();
  for (const auto& process : page_.processes) {
    const auto id = process.id.load();
    if (id <= 0) continue;
    if (process.has_entered.load() == 0 && loads_no_library(id)) {
      throw faults::CannotRun(keeps_real_time(id));
    }
    if (process.refused[0] == '\0') continue;
    throw faults::CannotRun(fmt::format("{} waits in a way that virtual time does not know: {}; {}",
                                        name_of(id), process.refused.data(), instead));
  }
}

std::optional<std::string> Participants::unknown_wait() const {
  std::optional<std::string> sentence;
  for (const auto& process : page_.processes) {
    const auto id = process.id.load();
    if (!takes_part(process)) continue;
    const auto others = others_of(process);
    for (const auto& thread : others) {
      if (thread.state != 'S') return std::nullopt;
      if (process.has_entered.load() == 0) {
        sentence = fmt::format("{} keeps real time: it was begun without LD_PRELOAD; {}",
                               name_of(id), instead);
        continue;
      }
      const auto call = call_of(id, thread.id);
      if (state_of(process, thread.id) == absent || (call && !has_limit(*call))) continue;
      sentence =
          fmt::format("{} waits in a way that virtual time does not know: {}; {}", name_of(id),
                      call ? name_of(*call) : "the kernel does not say how", instead);
    }
    const auto running = process.running.load();
    if (running > 0 && others.size() > running) {
      sentence = fmt::format("{} keeps real time: it makes its threads without the C library; {}",
                             name_of(id), instead);
    }
  }
  return sentence;
}

std::string Participants::busy() const {
  for (const auto& process : page_.processes) {
    if (takes_part(process) && process.running.load() > process.asleep.load()) {
      return name_of(process.id.load());
    }
  }
  return "the program";
}

}  // namespace explore
