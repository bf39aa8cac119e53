// Something that can happen next, in a world where nothing happens by itself.
//
// Thread-safety: values.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace explore {

enum class EventKind {
  begin,    // a client begins its program
  send,     // a command reaches its server, which carries it out
  reply,    // a reply, or a message to a subscriber, reaches the client
  advance,  // time advances to the next moment for which a process waits
  thaw,     // a frozen client continues
  mend,     // a client that was cut off reaches the servers again
  // Faults.
  freeze,  // nothing of a client runs
  kill,    // a client dies
  lose,    // a reply is lost and the connection with it; the command has been carried out
  slow,    // a message between a client and the storage takes longer than a lease
  cut,     // a client is cut off from the servers: no message passes in either direction
  // Faults of a server.
  fail_over,   // a replica that does not have the last write takes its place
  come_empty,  // it dies, and comes back without data
  jump,        // its wall clock jumps ahead, by more than a lease
};

[[nodiscard]] constexpr bool is_fault(EventKind kind) {
  return kind >= EventKind::freeze;
}

// The end of a fault that lasts: its client continues where it was.
[[nodiscard]] constexpr bool ends_a_fault(EventKind kind) {
  return kind == EventKind::thaw || kind == EventKind::mend;
}

struct Event {
  EventKind kind = EventKind::advance;
  std::string client;                 // empty: of time, or of a server
  std::string label;                  // as a schedule has it: "A: send SET"
  const void* target = nullptr;       // the connection, or the server, that it is about
  std::size_t server = 0;             // of a message: the server's number, or the storage's
  std::chrono::nanoseconds until{0};  // of `advance`: the moment
  bool is_slow = false;               // a message that has been in flight since time last advanced
};

// The kinds of faults that a search may choose, as bits: the words of `explore --faults`. In the
// order of the events' kinds.
enum FaultKind : std::uint8_t {
  freeze_fault = 1,
  kill_fault = 2,
  lose_fault = 4,
  slow_fault = 8,
  cut_fault = 16,
  failover_fault = 32,
  amnesia_fault = 64,
  clock_fault = 128
};

// Nothing: that event is no fault.
[[nodiscard]] constexpr std::optional<FaultKind> fault_kind_of(EventKind kind) {
  if (!is_fault(kind)) return std::nullopt;
  return static_cast<FaultKind>(
      1 << (static_cast<int>(kind) - static_cast<int>(EventKind::freeze)));
}
static_assert(fault_kind_of(EventKind::jump) == clock_fault);

}  // namespace explore
