// The programs of a search's clients: what each of them does, one operation after the other.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace explore {

struct Program {
  std::string name;                     // a word of `explore --operations`
  std::vector<std::string> operations;  // of docs/client-protocol.md, all on one thread
  std::string sentence;                 // "each acquire, work, release once"
  int wait_in_leases = 0;               // so long each acquire waits for the lock; 0: not at all
};

// Acquire, work, release.
[[nodiscard]] const Program& usual_program();
// Throws CannotRun, with the words that there are.
[[nodiscard]] const Program& program_named(std::string_view name);

}  // namespace explore
