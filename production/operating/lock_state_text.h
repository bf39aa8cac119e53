// The description of a lock for an operator: a paragraph, a row of a table, or JSON.
//
// Only the first four characters of a token are shown: who presents the whole of it joins the hold.
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "production/operating/lock_state.h"

namespace operating {

// A line that says whether it is held, and below it all that is known of the hold.
[[nodiscard]] std::string describe(const LockState& state);

// A table with a row for each, and a line below that counts them.
[[nodiscard]] std::string describe(const FoundLocks& found, std::string_view pattern);

// Says what breaks if this hold is ended while its holder lives.
[[nodiscard]] std::string describe_risk(const LockState& state);

[[nodiscard]] nlohmann::json to_json(const LockState& state);

// With \xNN in the place of control characters: a key may hold any byte, and a terminal obeys some.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace operating
