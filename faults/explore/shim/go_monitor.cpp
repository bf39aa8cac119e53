#include "faults/explore/shim/go_monitor.h"

#include "faults/explore/preload/process_entry.h"
#include "faults/explore/shim/shim_process.h"

namespace explore::shim {
namespace {

// In its second turn it takes the processor from a thread that has been in the same system call as
// in the first; two more show what that has led to.
constexpr int most_turns = 4;

}  // namespace

constinit GoMonitor monitor;

void GoMonitor::sleep(ThreadEntry& thread) {
  entry_ = &thread;
  Stop stopped;
  {
    const ProcessEntryGuard guard(*process.entry);
    const bool is_alone = process.entry->running.load() == 1;
    if (is_alone && ++count_ < most_turns) return;
    if (!is_alone) count_ = 0;
    write_wait(thread, {});
    stopped = stop(thread);
    wish_ = is_alone ? Wish::had_turns : Wish::wants_turns;
  }
  announce(stopped);
  await_wake(thread);
}

bool GoMonitor::is_woken_by(std::uint64_t object) {
  const ProcessEntryGuard guard(*process.entry);
  const bool is_it = entry_ != nullptr && entry_->state.load() == waiting &&
                     entry_->waits_for == WaitsFor::object && entry_->object == object;
  if (!is_it) return false;
  wish_ = Wish::wants_turns;
  count_ = 0;
  process.entry->generation.fetch_add(1);
  return true;
}

ThreadEntry* GoMonitor::runs_instead_of(const ThreadEntry& thread) {
  if (entry_ == nullptr) return nullptr;
  if (is(thread)) {  // it waits for a word of memory, until it is needed
    wish_ = Wish::none;
    return nullptr;
  }
  if (wish_ == Wish::had_turns) {
    wish_ = Wish::wants_turns;
    count_ = 0;
  }
  if (wish_ != Wish::wants_turns || process.entry->running.load() != 1) return nullptr;
  std::uint32_t expected = waiting;
  if (!entry_->state.compare_exchange_strong(expected, running)) return nullptr;
  wish_ = Wish::none;
  return entry_;
}

}  // namespace explore::shim
