#include "faults/explore/atlas/smallest.h"

#include <algorithm>
#include <iterator>

namespace atlas {
namespace {

std::set<Kept> without(const std::set<Kept>& a, const std::set<Kept>& b) {
  std::set<Kept> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

bool has_all(const std::set<Kept>& kept, const std::set<Kept>& wanted) {
  return std::includes(kept.begin(), kept.end(), wanted.begin(), wanted.end());
}

// Those than which no other of them is simpler.
std::vector<Parts> simplest_of(const std::vector<Parts>& some) {
  std::vector<Parts> simplest;
  for (const auto& one : some) {
    const bool is_simplest = std::none_of(
        some.begin(), some.end(), [&](const Parts& other) { return is_simpler(other, one); });
    if (is_simplest) simplest.push_back(one);
  }
  return simplest;
}

// The simpler locks in which that part is simpler, and nothing that could have stayed.
std::vector<const Finding*> next_simpler(const Parts& parts, std::size_t part,
                                         const std::vector<Finding>& all) {
  std::vector<const Finding*> simpler;
  for (const auto& other : all) {
    const bool is_of_it = places_of(other.parts)[part] < places_of(parts)[part];
    if (is_of_it && is_simpler(other.parts, parts)) simpler.push_back(&other);
  }
  std::vector<const Finding*> next;
  for (const auto* one : simpler) {
    const bool is_next = std::none_of(simpler.begin(), simpler.end(), [&](const auto* other) {
      return is_simpler(one->parts, other->parts);
    });
    if (is_next) next.push_back(one);
  }
  return next;
}

// What the greater lock keeps and the simpler one breaks. Without fencing no token can rise.
std::set<Kept> lost_in(const Finding& simpler, const Finding& greater) {
  auto lost = without(surely_kept(greater), perhaps_kept(simpler));
  if (!greater.parts.fencing)
    std::erase_if(lost, [](const Kept& one) { return one.second == 'F'; });
  return lost;
}

}  // namespace

Size size_of(const Finding& finding, const std::vector<Finding>& all) {
  const auto kept = surely_kept(finding);
  auto size = Size::smallest;
  for (const auto& other : all) {
    if (!is_simpler(other.parts, finding.parts)) continue;
    if (has_all(surely_kept(other), perhaps_kept(finding))) return Size::not_smallest;
    if (has_all(perhaps_kept(other), kept)) size = Size::unknown;
  }
  return size;
}

Size size_in_atlas(const Finding& finding, const std::vector<Finding>& all) {
  const auto size = size_of(finding, all);
  if (size != Size::smallest) return size;
  const auto locks = all_locks();
  const bool is_known = std::all_of(locks.begin(), locks.end(), [&](const Parts& parts) {
    return !is_simpler(parts, finding.parts) || find(parts, all) != nullptr;
  });
  return is_known ? size : Size::unknown;
}

std::vector<Parts> simpler_as_good(const Finding& finding, const std::vector<Finding>& all) {
  std::vector<Parts> good;
  for (const auto& other : all) {
    const bool is_as_good = has_all(surely_kept(other), perhaps_kept(finding));
    if (is_as_good && is_simpler(other.parts, finding.parts)) good.push_back(other.parts);
  }
  return simplest_of(good);
}

std::vector<Parts> smallest_that_keep(const std::set<Kept>& wanted,
                                      const std::vector<Finding>& all) {
  std::vector<Parts> good;
  for (const auto& one : all) {
    if (has_all(surely_kept(one), wanted)) good.push_back(one.parts);
  }
  return simplest_of(good);
}

std::vector<Loss> losses_of(const Finding& finding, const std::vector<Finding>& all) {
  std::vector<Loss> losses;
  for (std::size_t part = 0; part < part_names().size(); ++part) {
    for (const auto* other : next_simpler(finding.parts, part, all)) {
      const auto known = std::find_if(losses.begin(), losses.end(), [&](const Loss& loss) {
        return loss.simpler == other->parts;
      });
      if (known != losses.end()) {
        known->parts.push_back(part_names()[part]);
        continue;
      }
      losses.push_back({.parts = {part_names()[part]},
                        .simpler = other->parts,
                        .lost = lost_in(*other, finding),
                        .gained = without(surely_kept(*other), perhaps_kept(finding))});
    }
  }
  return losses;
}

}  // namespace atlas
