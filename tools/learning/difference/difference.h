// The first difference between a learner's lock and ours under the same scenario.
//
// It is a difference, and not an accusation: a lock may do the right thing in another way. What
// counts first is what both said and did to the servers; which commands they used comes after that.
// Thread-safety: values and pure functions.
#pragma once

#include <optional>
#include <string>

#include "tools/learning/mistakes/trace_query.h"

namespace learning {

struct Difference {
  std::string where;  // "A's release at 412 ms"
  std::string yours;  // "sent GET, then DEL, which removed the key; said \"released\""
  std::string ours;   // the same of ours

  // "A's release: yours sent …; ours sent …".
  [[nodiscard]] std::string sentence() const;
  // The same without ours, for those who want to find it themselves.
  [[nodiscard]] std::string without_ours() const;
};

// Nothing: there is none that can be seen.
[[nodiscard]] std::optional<Difference> first_difference(const TraceQuery& yours,
                                                         const TraceQuery& ours);

}  // namespace learning
