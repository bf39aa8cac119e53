// The branches of a Lua script, and a copy of the script that says which of them it takes.
//
// A branch is either side of an `if` or `elseif` (an `else` that is not written too), and the body
// of a loop. What `and` and `or` leave out is none.
//
// Thread-safety: values, and a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace explore {

struct LuaBranch {
  // Of an `if` or `elseif` that is true; that is false, with no `else` after it; an `else`; a loop.
  enum class Kind { if_true, if_false, otherwise, loop };

  Kind kind = Kind::loop;
  int line = 0;        // of its keyword: counts from 1
  std::string source;  // that line

  bool operator==(const LuaBranch&) const = default;
};

// "never true", as a branch that was not taken is described.
[[nodiscard]] std::string_view describe_untaken(LuaBranch::Kind kind);

struct BranchedScript {
  std::vector<LuaBranch> branches;
  // Does what the script does, and returns {the numbers of the branches that it took, which count
  // from 1, its answer}. An error is the answer, too. It calls its own names `lab_...`.
  std::string counting;
};

// Nothing: its blocks do not end, or it is otherwise no Lua.
[[nodiscard]] std::optional<BranchedScript> branches_of(std::string_view script);

}  // namespace explore
