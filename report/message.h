// An event with all that is known of it: what the page shows of a short text when one asks for
// more.
//
// Thread-safety: a pure function.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/judging/history.h"

namespace report {

// Of a command [µs, ">", the server, text], of a reply [µs, "<", the server, text]; of everything
// else [µs, "", "field value, ..."].
[[nodiscard]] nlohmann::json whole_message(const faults::Event& event);

}  // namespace report
