// The threads of a program run one at a time, in an order that depends on nothing but what they do:
// one runs until it waits, ends or gives way, then the next that can.
//
// The kernel would let a thread run whenever it likes, and much of a program depends on that, such
// as which thread of Go's draws the next random number, and which of Java's gets the next seed.
//
// A process in which no turns have begun has none: its threads run beside each other.
//
// Thread-safety: safe to share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "faults/explore/preload/shared_page.h"

namespace explore {

class Turns {
 public:
  // The first thread of the process has the turn.
  void begin(ProcessEntry& process);
  // Takes the turn from `thread`. Returns the thread that gets it, or null if no thread can run.
  // The caller holds the lock of the process's entry, and calls `announce` without it.
  [[nodiscard]] ThreadEntry* pass_on(const ThreadEntry& thread);
  void announce(const ThreadEntry& next);
  // Returns once it is the turn of `thread`, which counts as running. Without the lock.
  void await(const ThreadEntry& thread);
  // The calling thread lets the others run first. Without the lock.
  void give_way(const ThreadEntry& thread);

 private:
  static constexpr std::size_t nobody = ProcessEntry::most_threads;

  // The next after that one that can run.
  [[nodiscard]] ThreadEntry* next_after(std::size_t number) const;
  ThreadEntry* give_to(ThreadEntry* next);
  [[nodiscard]] std::atomic<std::uint32_t>& word_of(const ThreadEntry& thread);

  [[nodiscard]] std::size_t number_of(const ThreadEntry& thread) const;

  ProcessEntry* process_ = nullptr;
  std::array<std::atomic<std::uint32_t>, ProcessEntry::most_threads> has_turn_{};
  std::size_t owner_ = 0;  // or `nobody`
  std::size_t last_ = 0;
};

extern Turns turns;

}  // namespace explore
