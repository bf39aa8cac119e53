// One connection of a client, with its messages in flight: commands that have not reached the
// server, and replies that have not reached the client.
//
// Thread-safety: none; one thread.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/descriptor.h"
#include "faults/kit/resp.h"
#include "faults/kit/unanswered.h"

namespace explore {

struct MessageInFlight {
  faults::Message message;
  std::string command;  // the command's name, also in its reply
  std::string label;    // in a schedule: its name, or its script's file; and its server
  bool is_push = false;
  // Set for a slow message: since when, and until when at most.
  std::optional<Duration> slow_since = {};
  Duration slow_until{0};

  // True if it may arrive now. A slow message may, once time has advanced.
  [[nodiscard]] bool may_arrive(Duration now) const { return !slow_since || now > *slow_since; }
  // True if it arrives before time advances.
  [[nodiscard]] bool is_due(Duration now) const { return !slow_since || now >= slow_until; }
};

// All of a message, with what kind of reply it is.
[[nodiscard]] std::string content_of(const MessageInFlight& message);

struct ClientConnection {
  // The storage's, in place of a server's number.
  static constexpr std::size_t storage = static_cast<std::size_t>(-1);

  std::size_t server = 0;
  int number = 0;  // counts those to its server that its client has used in this run; 0: not yet
  faults::Descriptor client;    // to the client
  int client_descriptor = -1;   // its number in the client's process
  faults::Descriptor upstream;  // to the server
  faults::RespReader from_client;
  faults::RespReader from_server;
  std::deque<MessageInFlight> commands;
  std::deque<MessageInFlight> replies;
  faults::UnansweredCommands unanswered;  // that have reached the server
  bool is_lost = false;  // the server hung up, and the client, which is cut off, cannot see it

  [[nodiscard]] bool is_of_storage() const { return server == storage; }
};

// The same in each run that uses its client's connections alike.
[[nodiscard]] std::string name_of(const ClientConnection& connection);

}  // namespace explore
