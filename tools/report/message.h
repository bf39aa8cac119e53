// An event in full: the page shows it when a reader points at its short text.
//
// Thread-safety: a pure function.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/kit/history.h"

namespace report {

// A command as [µs, ">", the server, text], a reply as [µs, "<", the server, text], every other
// event as [µs, "", "field value, ..."].
[[nodiscard]] nlohmann::json whole_message(const faults::Event& event);

}  // namespace report
