// What a state calls its servers. Where a lock treats all servers of a quorum alike, two states
// that differ only in which server is which have the same future, but for the servers' names.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "faults/explore/states/state.h"
#include "faults/kit/history.h"

namespace explore {

class ServerNames {
 public:
  // Each has its own name.
  ServerNames() = default;
  // The server of that number, from 0, has the name of the one at its place: of {2, 0, 1} node3 is
  // called node1.
  explicit ServerNames(std::vector<std::size_t> order) : order_(std::move(order)) {}

  // The number of the server that has the name of the `place`th.
  [[nodiscard]] std::size_t at(std::size_t place) const {
    return order_.empty() ? place : order_.at(place);
  }
  // The text, where "node2", or "server 2", is that server.
  [[nodiscard]] std::string in(const std::string& text) const;
  // The history, with their names in the events.
  [[nodiscard]] faults::Record in(faults::Record record) const;

 private:
  // The number in a name, from 1, of the server that has the number `own` by itself.
  [[nodiscard]] std::string number_of(std::size_t own) const;

  std::vector<std::size_t> order_;  // empty: each has its own
};

// A state that does not say which server is which, and what it calls them.
struct AnonymousState {
  State state;
  ServerNames servers;
};

}  // namespace explore
