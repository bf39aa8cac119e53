// Something that can happen next, in a world where nothing happens by itself.
//
// Thread-safety: values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace explore {

enum class Deed {
  begin,    // a client begins its program
  send,     // a command reaches its server, which carries it out
  reply,    // an answer, or a message to a subscriber, reaches the client
  advance,  // time goes on to the next moment for which somebody waits
  thaw,     // a frozen client goes on
  mend,     // a client that was cut off reaches the servers again
  // Faults.
  freeze,  // nothing of a client runs
  kill,    // a client dies
  lose,    // an answer is lost and the connection with it; the command has been carried out
  slow,    // a message between a client and the storage takes longer than a lease
  cut,     // a client is cut off from the servers: nothing arrives that it or they send
  // Faults of a server.
  fail_over,   // a replica takes its place, which has not got the last write
  come_empty,  // it dies, and comes back without data
  jump,        // its wall clock jumps ahead, by more than a lease
};

[[nodiscard]] constexpr bool is_fault(Deed deed) {
  return deed >= Deed::freeze;
}

// The end of a fault that lasts: its client goes on where it was.
[[nodiscard]] constexpr bool ends_a_fault(Deed deed) {
  return deed == Deed::thaw || deed == Deed::mend;
}

struct Event {
  Deed deed = Deed::advance;
  std::string client;           // empty: of time, or of a server
  std::string label;            // as a schedule has it: "A: send SET"
  const void* place = nullptr;  // the connection, or the server, that it is about
  std::size_t server = 0;       // of a message: the server's number, or the storage's
  bool is_slow = false;         // a message that has been on its way since time went on
};

// The words of `explore --faults`.
enum Fault : std::uint8_t {
  freeze_fault = 1,
  kill_fault = 2,
  lose_fault = 4,
  slow_fault = 8,
  failover_fault = 16,
  amnesia_fault = 32,
  clock_fault = 64,
  cut_fault = 128
};

// The kind of a deed; nothing: it is no fault.
[[nodiscard]] constexpr std::optional<Fault> fault_of(Deed deed) {
  switch (deed) {
    case Deed::freeze: return freeze_fault;
    case Deed::kill: return kill_fault;
    case Deed::lose: return lose_fault;
    case Deed::slow: return slow_fault;
    case Deed::cut: return cut_fault;
    case Deed::fail_over: return failover_fault;
    case Deed::come_empty: return amnesia_fault;
    case Deed::jump: return clock_fault;
    default: return std::nullopt;
  }
}

}  // namespace explore
