// Which locks of the atlas are the smallest for what they survive, and what each part is for.
//
// A lock is smallest if no simpler one (parts.h) keeps every promise that it keeps, each under each
// kind of fault.
//
// Thread-safety: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "faults/explore/atlas/findings.h"

namespace atlas {

enum class Size {
  smallest,
  not_smallest,  // a simpler lock keeps as much
  unknown,       // a simpler lock may, which was not searched to the end
};

[[nodiscard]] Size size_of(const Finding& finding, const std::vector<Finding>& all);
// The same among every lock that the parts make: one that is not in `all` is not known.
[[nodiscard]] Size size_in_atlas(const Finding& finding, const std::vector<Finding>& all);

// The simpler locks that keep as much, the simplest of them only.
[[nodiscard]] std::vector<Parts> simpler_as_good(const Finding& finding,
                                                 const std::vector<Finding>& all);

// The simplest of the locks that surely keep all of `wanted`.
[[nodiscard]] std::vector<Parts> smallest_that_keep(const std::set<Kept>& wanted,
                                                    const std::vector<Finding>& all);

// What is lost where a part of a lock gets simpler, and with it only what makes no sense without
// it.
struct Loss {
  std::vector<std::string> parts;  // whose next simpler lock that is
  Parts simpler;
  std::set<Kept> lost;    // that the lock surely keeps, and the simpler one surely does not
  std::set<Kept> gained;  // the other way round
};
[[nodiscard]] std::vector<Loss> losses_of(const Finding& finding, const std::vector<Finding>& all);

}  // namespace atlas
