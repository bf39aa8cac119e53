// The page that all processes of a world in virtual time share: what time it is, and what every
// thread of every process waits for.
//
// The explorer makes it (faults/explore/virtual_time/virtual_time.h), or a keeper (keeper.h). The
// library that is preloaded into servers and clients maps it, and writes down each wait before it
// begins. A page of zeros is an empty one.
//
// Thread-safety: a process's `lock` guards what is not atomic (process_entry.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace explore {

// Nanoseconds of virtual time, from 0.
using Instant = std::int64_t;

inline constexpr Instant no_limit = std::numeric_limits<Instant>::max();
inline constexpr Instant second = 1'000'000'000;

// The clocks of a process when virtual time is 0.
inline constexpr Instant monotonic_start = 1'000'000 * second;
inline constexpr Instant wall_start = 1'900'000'000 * second;

// The variables by which a process finds the page's file and the number of its slot in it. A
// participant is given no number: it takes a free slot.
inline constexpr const char* page_variable = "LAB_VIRTUAL_TIME";
inline constexpr const char* slot_variable = "LAB_VIRTUAL_SLOT";
// The beginning of the paths of its sockets, which end in a port and ".sock".
inline constexpr const char* sockets_variable = "LAB_VIRTUAL_SOCKETS";

enum class ProcessRole : std::uint32_t {
  client,  // each of its waits is counted: the explorer knows when it is at rest
  server,  // has clocks and timers of virtual time; any process may send it something
  // Each of its waits is counted, and any process may send it something: when one has written, the
  // keeper has it look at its descriptors.
  participant,
};

// The variable of a process that is to begin others (template.cpp): the socket that it is asked at.
inline constexpr const char* template_variable = "LAB_VIRTUAL_TEMPLATE";

// A request to it: variables of the new process, each `name=value` and a zero, with these
// descriptors beside it. It answers with the process's number, or with a negative error number.
struct Beginning {
  static constexpr std::size_t most_bytes = 8'192;
  enum Descriptors : std::uint8_t { input, output, log, reaper, count };
};

// It is also the word that the thread waits on (futex(2)). A thread that time has woken runs, too.
enum ThreadState : std::uint32_t { absent, running, waiting, woken_by_time };

enum class WaitsFor : std::uint32_t {
  time,
  descriptors,  // that something can be read from one of them, or written
  object,       // a condition variable, a semaphore, a word of memory
  thread,       // the end of another thread
};

struct ThreadEntry {
  static constexpr int most_descriptors = 8;
  static constexpr int any_descriptor = -1;

  std::atomic<std::uint32_t> state;
  WaitsFor waits_for;
  std::atomic<std::int32_t> id;
  std::int32_t descriptor_count;  // or `any_descriptor`
  std::array<std::int32_t, most_descriptors> descriptors;
  std::uint64_t object;  // the address waited on
  std::uint64_t self;    // its pthread_t
  std::atomic<Instant> until;
};

// A timer of a participant's that is a descriptor (timerfd_create(2)).
struct TimerEntry {
  std::atomic<std::int32_t> descriptor;  // 0: there is none
  std::atomic<std::int32_t> clock;
  std::atomic<Instant> until;  // `no_limit`: it is not set
  std::atomic<Instant> interval;
  std::atomic<std::uint64_t> expirations;  // not read yet
};

struct ProcessEntry {
  static constexpr std::size_t most_threads = 512;
  static constexpr std::size_t most_timers = 8;

  std::atomic<std::uint32_t> lock;
  // How many of its threads do not wait; of a server: 0 while its first thread waits in the kernel.
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> generation;  // counts what may have ended a wait
  std::atomic<std::int32_t> id;           // 0: it did not map the page
  ProcessRole role;
  std::atomic<std::uint32_t> other_processes;  // that it has started
  std::array<char, 48> refused;                // a wait that virtual time does not know, or empty
  std::atomic<Instant> wall_offset;
  std::atomic<Instant> monotonic_offset;
  std::atomic<std::uint32_t> threads_used;  // entries after these never were
  std::array<ThreadEntry, most_threads> threads;

  // These are a participant's:
  // How many of those that do not wait sleep in the kernel, as far as the keeper has seen.
  std::atomic<std::uint32_t> asleep;
  std::atomic<std::uint32_t> has_entered;  // its program has entered virtual time
  std::array<TimerEntry, most_timers> timers;
  std::atomic<Instant> alarm;  // when its alarm(2) rings; `no_limit`: it has none
};

inline std::span<ThreadEntry> used_threads(ProcessEntry& process) {
  return {process.threads.data(), process.threads_used.load()};
}
inline std::span<const ThreadEntry> used_threads(const ProcessEntry& process) {
  return {process.threads.data(), process.threads_used.load()};
}

struct SharedPage {
  static constexpr std::size_t most_processes = 128;

  std::atomic<Instant> now;

  // These are for participants:
  std::atomic<std::uint32_t> rests;  // counts how often one came to rest; the keeper waits for it
  std::atomic<std::uint32_t> activity;  // counts what may let a descriptor be read or written
  // Counts what takes effect in the kernel later: signals sent, programs begun. The keeper then
  // asks the kernel about all participants.
  std::atomic<std::uint32_t> unsettled;
  std::atomic<std::uint32_t> slots_taken;  // so far
  std::atomic<std::uint32_t> is_full;      // some process found no slot
  std::atomic<Instant> wall_offset;        // of a new participant
  std::array<ProcessEntry, most_processes> processes;
};

// The signal that tells a server's thread to look at the time. Not one that programs use.
inline constexpr int time_signal = 63;

}  // namespace explore
