// The nodes' answers to an acquire, counted, and the fencing token that they agree on.
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

  [[nodiscard]] static FencedTally of(const stage7::Votes& votes) {
    FencedTally tally;
    for (const auto& vote : votes) tally.add(vote);
    return tally;
  }

  void add(const stage7::Vote& vote) {
    Tally::add(vote);
    if (!vote.is_yes()) return;
    const auto counter = static_cast<std::uint64_t>(vote.reply->integer(1));
    highest = counter == fencing ? highest + 1 : counter > fencing ? 1 : highest;
    fencing = std::max(fencing, counter);
  }

  // The tally after a second round, which was to store `fencing` where it was not stored.
  [[nodiscard]] FencedTally raised(const stage7::Votes& votes) const {
    FencedTally second;
    for (const auto& vote : votes) second.Tally::add(vote);
    second.lease = lease;
    second.fencing = fencing;
    for (std::size_t i = 0; i < votes.size(); ++i) {
      // A node that does not answer this time still has what it gave the first time, and is waited
      // for when that is rolled back.
      second.heard[i] = second.heard[i] || heard[i];
      second.may_have_it[i] = may_have_it[i] && votes[i].number() != 0;
    }
    return second;
  }
};

}  // namespace stage8
