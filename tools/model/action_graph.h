// A graph of states whose edges are actions. A model of a lock and the search of its program are
// both turned into one, to be compared.
//
// Thread-safety: values.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace model {

// Something that happens, by the words of the model: "A", "acquire arrives", "sets the lock".
struct Action {
  std::string who;     // a client; empty: time
  std::string what;    // a message arrives, a reply arrives, a fault
  std::string effect;  // what came of it at the server, in the storage, for the caller

  friend auto operator<=>(const Action&, const Action&) = default;

  // "A: acquire arrives: sets the lock".
  [[nodiscard]] std::string text() const {
    return (who.empty() ? "" : who + ": ") + what + (effect.empty() ? "" : ": " + effect);
  }
};

struct ActionEdge {
  std::optional<Action> action;  // nothing: the model has no such action, and does not see it
  std::size_t next = 0;
  std::string label = {};  // of the program: the event as a schedule has it
};

// The edges of each state; the first state is the beginning.
using ActionGraph = std::vector<std::vector<ActionEdge>>;

}  // namespace model
