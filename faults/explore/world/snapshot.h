// The state of a world's clients and servers at one moment, for a person to look at.
//
// Thread-safety: a value.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace explore {

struct Snapshot {
  struct ClientState {
    std::string name;
    std::string state;      // in words: where it is in its program
    bool believes = false;  // that it holds the lock
  };
  struct KeyState {
    std::string server;
    std::string name;
    std::string value;
    std::string owner = {};  // the client that holds the lock by it, if that is known
    std::optional<std::chrono::milliseconds> ends_in = {};
  };

  std::vector<ClientState> clients;
  std::vector<KeyState> keys;
};

}  // namespace explore
