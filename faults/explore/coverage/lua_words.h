// The words of a Lua script: its names, its keywords and the places where they are.
//
// Comments, strings, numbers and symbols are passed over, so that an `if` in a comment is no `if`
// (Lua 5.1, which Redis runs: https://www.lua.org/manual/5.1/manual.html#2.1).
//
// Thread-safety: a pure function.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace explore {

struct LuaWord {
  std::string_view text;  // a part of the script
  std::size_t at = 0;     // where it begins
  int line = 1;           // counts from 1
};

[[nodiscard]] std::vector<LuaWord> lua_words(std::string_view script);

}  // namespace explore
