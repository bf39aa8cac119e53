// One connection of a client, and what is on its way on it: commands that its server has not got
// yet, and answers that the client has not got yet.
//
// Thread-safety: none; one thread.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/descriptor.h"
#include "faults/kit/resp.h"

namespace explore {

// A message on its way.
struct Waiting {
  faults::Message message;
  std::string command;  // the command's name; of an answer, that of what it answers
  std::string label;    // in a schedule: its name, or its script's file; and where it goes
  bool is_push = false;
  // Since when it is slow, and until when it may be.
  std::optional<Duration> slow_since = {};
  Duration slow_until{0};

  // May it arrive? What is slow may once time went on.
  [[nodiscard]] bool may_arrive(Duration now) const { return !slow_since || now > *slow_since; }
  // Does it arrive before time goes on?
  [[nodiscard]] bool is_due(Duration now) const { return !slow_since || now >= slow_until; }
};

struct Exchange {
  // The storage's, in the place of a server's number.
  static constexpr std::size_t storage = static_cast<std::size_t>(-1);

  std::size_t server = 0;
  faults::Descriptor client;    // to the client
  int client_descriptor = -1;   // its number there
  faults::Descriptor upstream;  // to the server
  faults::RespReader from_client;
  faults::RespReader from_server;
  std::deque<Waiting> commands;
  std::deque<Waiting> answers;
  std::deque<Waiting> unanswered;  // that the server has got
  bool is_lost = false;            // its server hung up, which a client that is cut off cannot see

  [[nodiscard]] bool is_of_storage() const { return server == storage; }
};

}  // namespace explore
