#include "tools/terminal/suggestions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace terminal {
namespace {

// The number of letters to change, add or leave out, or of neighbours to swap (the distance of
// Damerau and Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

// Names are long, and people type their beginnings: `name` may also resemble a candidate's
// beginning, unless it has only a few letters, which resemble too many.
std::size_t unlikeness(const std::string& name, const std::string& candidate) {
  constexpr std::size_t short_name = 4;
  if (name.size() < short_name) return distance(name, candidate);
  return std::min(distance(name, candidate), distance(name, candidate.substr(0, name.size())));
}

}  // namespace

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  std::vector<std::string> near;
  for (const auto& one : candidates) {
    if (std::find(near.begin(), near.end(), one) == near.end()) near.push_back(one);
  }
  // A name with more than half of its letters wrong is not a misspelling.
  std::erase_if(near, [&](const auto& one) { return unlikeness(name, one) > name.size() / 2; });
  std::stable_sort(near.begin(), near.end(), [&](const auto& a, const auto& b) {
    return unlikeness(name, a) < unlikeness(name, b);
  });
  constexpr std::size_t most = 3;
  if (near.size() > most) {
    // If several are equally near, take all or none.
    const auto further = unlikeness(name, near[most]);
    near.resize(most);
    std::erase_if(near, [&](const auto& one) { return unlikeness(name, one) == further; });
  }
  return near.empty() ? std::string() : fmt::format(" did you mean {}?", fmt::join(near, ", "));
}

}  // namespace terminal
