#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/judging/properties.h"

namespace faults {
namespace {

// Did a server ever hold the lock for `lane` before `place`?
bool owned_before(const Story& story, const std::string& lane, std::size_t place) {
  return std::any_of(story.holds.begin(), story.holds.end(), [&](const ServerHold& hold) {
    return hold.owner == lane && hold.from < place;
  });
}

// What is untrue about the answer to an acquire, if anything.
std::optional<std::string> untrue_acquire(const Story& story, const Operation& operation) {
  const auto& lane = operation.lane;
  // A lock that is taken again need not be set again.
  const auto given = story.count_nodes([&](const ServerHold& hold) {
    const bool its_own = hold.owner == lane || hold.may_be.contains(lane);
    return its_own && (operation.open_at(hold.from) ||
                       (hold.from < operation.called && hold.to > operation.answered));
  });
  const auto set = story.count_nodes([&](const ServerHold& hold) {
    return hold.owner == lane && operation.open_at(hold.from) && hold.to > operation.answered;
  });
  if (operation.outcome == "acquired" && given < story.majority()) {
    return given == 0 ? "the server never gave it the lock"
                      : fmt::format("only {} of {} servers gave it the lock", given, story.nodes());
  }
  if (operation.outcome == "acquired" && story.another_thread_is_inside(operation)) {
    return "another of its threads held the lock";
  }
  if (operation.outcome == "contended" && set >= story.majority()) {
    return "the server had given it the lock";
  }
  return std::nullopt;
}

// The holds that a release removed.
std::vector<const ServerHold*> removed_by(const Story& story, const Operation& operation) {
  std::vector<const ServerHold*> removed;
  for (const auto& hold : story.holds) {
    if (hold.end == "del" && operation.open_at(hold.to) && hold.ended_by == operation.lane) {
      removed.push_back(&hold);
    }
  }
  return removed;
}

// What is untrue about the answer to a release. "unknown" is never untrue.
std::optional<std::string> untrue_release(const Story& story, const Operation& operation) {
  const auto& lane = operation.lane;
  const auto& outcome = operation.outcome;
  if (outcome == "unknown" || outcome == "error") return std::nullopt;
  const auto removed = removed_by(story, operation);
  const auto own = story.count_nodes([&](const ServerHold& hold) {
    return hold.owner == lane && std::find(removed.begin(), removed.end(), &hold) != removed.end();
  });
  const bool still_held = story.held_for(lane, operation.answered);
  if (outcome == "still_held") {
    return still_held ? std::nullopt
                      : std::optional<std::string>("the server does not hold the lock for it");
  }
  if (outcome == "released" && removed.empty()) return "no lock was removed";
  if (outcome == "released" && own == 0) {
    const auto& owner = removed.back()->owner;
    return owner.empty() ? std::string("the lock that was removed was somebody else's")
                         : fmt::format("the lock that was removed was {}'s", owner);
  }
  if (outcome == "released") return std::nullopt;
  if (own >= story.majority()) return "its lock was removed by this very call";
  if (still_held) return "the server still holds the lock for it";
  // When it is answered, or when the servers were asked.
  const bool exists = story.count_nodes([&](const ServerHold& hold) {
    const bool meanwhile = hold.from < operation.answered && hold.to > operation.called;
    return hold.exists_at(operation.answered) || (meanwhile && hold.owner != lane);
  }) > 0;
  if (outcome == "stolen" && !exists) return "nobody else holds the lock";
  if (outcome == "expired" && !owned_before(story, lane, operation.called)) {
    return "it never had the lock";
  }
  // All the time, so also when the server was asked. (Of several, no majority may have been.)
  const auto* others = story.nodes() == 1 ? story.hold_at(operation.called) : nullptr;
  if (outcome == "expired" && others != nullptr && others->owner != lane &&
      !others->owner.empty() && others->to > operation.answered) {
    return fmt::format("{} held the lock by then", others->owner);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> judge_truthful_outcomes(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    if (operation.answered == never) continue;
    const auto lie = operation.name == "acquire"   ? untrue_acquire(story, operation)
                     : operation.name == "release" ? untrue_release(story, operation)
                                                   : std::nullopt;
    if (!lie) continue;
    findings.push_back({.property = Property::truthful_outcomes,
                        .sentence = fmt::format("{}'s {} answered \"{}\" at {} ms, but {}",
                                                operation.lane, operation.name, operation.outcome,
                                                story.ms(operation.answered), *lie),
                        .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

}  // namespace faults
