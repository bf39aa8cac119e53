// A drawing without what happens again and again: of a watchdog's many renewals the first and the
// last are shown, and between them how many there were.
//
// Thread-safety: pure function.
#pragma once

#include <nlohmann/json.hpp>

namespace pictures {

// Of a drawing as tools/report/drawing.h makes it, and another such drawing.
[[nodiscard]] nlohmann::json folded(const nlohmann::json& drawing);

}  // namespace pictures
