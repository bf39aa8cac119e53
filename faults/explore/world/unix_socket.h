// The sockets between clients, the explorer and servers: on a unix socket a message has arrived
// when `send` returns. (Over TCP it may still be in flight, even on one machine.)
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "faults/kit/descriptor.h"

namespace explore {

// Listens at `path`. Throws CannotRun.
[[nodiscard]] faults::Descriptor listen_at(const std::filesystem::path& path);
// Throws CannotRun.
[[nodiscard]] faults::Descriptor connect_to(const std::filesystem::path& path);

struct Accepted {
  faults::Descriptor socket;
  int descriptor = -1;  // its number in the process at the other end, if that says so
};

// A connection that waits to be accepted, or nothing.
[[nodiscard]] std::optional<Accepted> accept_from(const faults::Descriptor& listener);

// Ends the connection at both ends. (Closing the descriptor does not, as long as another process
// has a copy of it: a process that is being started has copies of all.)
void hang_up(const faults::Descriptor& socket);

// Each is false if the other end is closed.
bool send_all(const faults::Descriptor& socket, std::string_view bytes);
bool send_line(const faults::Descriptor& pipe, std::string line);

struct Received {
  std::string bytes;
  bool ended = false;  // and nothing more will come
};

// For a pipe that `receive_all` is to read.
void never_block(const faults::Descriptor& pipe);
// All that has arrived, without waiting.
[[nodiscard]] Received receive_all(const faults::Descriptor& stream);
// Waits for something. Throws Stalled if nothing comes.
[[nodiscard]] Received wait_and_receive(const faults::Descriptor& socket);

}  // namespace explore
