// The field report, lock by lock, as its pages show it.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>

namespace field {

// The locks of `data` (report_data.h) in the order of the pages: by language, then the most used
// (if that is known), then by name; each followed by its variants. A view is what data says of the
// lock, and
//
//   base     its name; of a variant the name of its lock, if that is in the data
//   cells    of each scenario the cell, with scenario and class
//   classes  of each class of fault its name, figure, and worst: "4/5, 1 ?" are four scenarios held
//            of five judged, and one that could not be; worst is the first that was violated, or
//            empty
[[nodiscard]] nlohmann::json lock_views(const nlohmann::json& data);

}  // namespace field
