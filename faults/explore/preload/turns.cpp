#include "faults/explore/preload/turns.h"

#include "faults/explore/preload/process_entry.h"

namespace explore {
namespace {

bool can_run(const ThreadEntry& thread) {
  const auto state = thread.state.load();
  return state == running || state == woken_by_time;
}

}  // namespace

constinit Turns turns;

void Turns::begin(ProcessEntry& process) {
  process_ = &process;
  has_turn_[0].store(1);
}

ThreadEntry* Turns::pass_on(const ThreadEntry& thread) {
  if (process_ == nullptr) return nullptr;
  word_of(thread).store(0);
  return give_to(next_after(number_of(thread)));
}

void Turns::announce(const ThreadEntry& next) {
  futex_wake(word_of(next));
}

void Turns::await(const ThreadEntry& thread) {
  if (process_ == nullptr) return;
  ThreadEntry* other = nullptr;
  {
    const ProcessEntryGuard guard(*process_);
    // All waited, and several threads may have been woken: the first that comes here chooses.
    if (owner_ == nobody) other = give_to(next_after(last_));
  }
  if (other != nullptr && other != &thread) announce(*other);
  auto& word = word_of(thread);
  while (word.load() == 0) (void)futex_wait(word, 0);
}

void Turns::give_way(const ThreadEntry& thread) {
  if (process_ == nullptr) return;
  ThreadEntry* next = nullptr;
  {
    const ProcessEntryGuard guard(*process_);
    next = pass_on(thread);
  }
  if (next != &thread) announce(*next);
  await(thread);
}

ThreadEntry* Turns::next_after(std::size_t number) const {
  const auto threads = used_threads(*process_);
  for (std::size_t i = 1; i <= threads.size(); ++i) {
    auto& thread = threads[(number + i) % threads.size()];
    if (can_run(thread)) return &thread;
  }
  return nullptr;
}

ThreadEntry* Turns::give_to(ThreadEntry* next) {
  owner_ = next == nullptr ? nobody : number_of(*next);
  if (next == nullptr) return nullptr;
  last_ = owner_;
  word_of(*next).store(1);
  return next;
}

std::size_t Turns::number_of(const ThreadEntry& thread) const {
  return static_cast<std::size_t>(&thread - process_->threads.data());
}

std::atomic<std::uint32_t>& Turns::word_of(const ThreadEntry& thread) {
  return has_turn_[number_of(thread)];
}

}  // namespace explore
