// What the nodes' answers to an acquire come to, and the fencing token that they agree on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stage7_redlock/votes.h"

namespace stage8 {

// Thread-safety: a value.
struct FencedTally : stage7::Tally {
  std::uint64_t fencing = 0;  // the highest among the yes
  std::size_t highest = 0;    // how many of them have that one

  void add(const stage7::Vote& vote) {
    Tally::add(vote);
    if (!vote.is_yes()) return;
    const auto counter = static_cast<std::uint64_t>(vote.reply->integer(1));
    highest = counter == fencing ? highest + 1 : counter > fencing ? 1 : highest;
    fencing = std::max(fencing, counter);
  }
};

}  // namespace stage8
