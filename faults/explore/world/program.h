// The programs of a search's clients: what each of them does, one operation after the other.
//
// Thread-safety: pure functions and values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace explore {

struct Program {
  std::string name;                     // a word of `explore --operations`
  std::vector<std::string> operations;  // of docs/client-protocol.md, all on one thread
  std::string sentence;                 // "each acquire, work, release once"
  int wait_in_leases = 0;               // for how long each acquire waits for the lock
};

// A client's position in its program.
class ProgramPosition {
 public:
  // The operation to do next, after `last` has ended with `outcome` (both empty at the beginning);
  // nothing: the program has ended. A client that was refused gives back what it has; a release
  // whose outcome is unknown is repeated.
  [[nodiscard]] std::optional<std::string> next(const Program& program, const std::string& last,
                                                const std::string& outcome);
  [[nodiscard]] bool has_begun() const { return next_ > 0; }
  [[nodiscard]] std::size_t next_operation() const { return next_; }
  // How often the lock has been acquired and not yet given back.
  [[nodiscard]] std::size_t levels() const { return levels_; }

 private:
  std::size_t next_ = 0;
  std::size_t levels_ = 0;
};

// Acquire, work, release.
[[nodiscard]] const Program& usual_program();
// Throws CannotRun, with the names that there are.
[[nodiscard]] const Program& program_named(std::string_view name);

}  // namespace explore
