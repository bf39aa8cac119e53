#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "faults/judging/properties.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

std::string say_shut_out(const Story& story, const Operation& operation) {
  const auto* hold = story.hold_at(operation.called);
  const auto took = [&] { return story.ms(operation.answered) - story.ms(operation.called); };
  if (operation.outcome == "error" || operation.outcome == "unknown") {
    return hold == nullptr
               ? fmt::format("{} never got in: it asked, and was not answered", operation.lane)
               : fmt::format("{} never got in: after {} ms it answered \"{}\"", operation.lane,
                             took(), operation.outcome);
  }
  const auto told = story.events[operation.called].data.value("wait_ms", 0LL);
  // Who was not answered waits still.
  const auto wait = operation.answered == never ? told : std::min<long long>(told, took());
  if (hold != nullptr && hold->owner == operation.lane) {
    return fmt::format("{} tried for {} ms and never got in: it waited for the lock that it had",
                       operation.lane, wait);
  }
  const auto leases = wait / std::max(1, story.setting.value("lease_ms", 1));
  return fmt::format(
      "{} tried for {} ms{}, and never got in: the lock {} was never freed", operation.lane, wait,
      leases > 0 ? fmt::format(", {} leases long", leases) : std::string(),
      hold == nullptr || hold->owner.empty() ? "that was left behind"
                                             : "that " + hold->owner + " left behind");
}

// An operation that had to end, whatever its outcome, and did not in time.
std::optional<Finding> judge_end(const Story& story, const Operation& operation) {
  const auto& call = story.events[operation.called];
  const auto limit = call.data.value("must_end_within_ms", 0LL);
  const auto end = std::min(operation.answered, story.events.size() - 1);
  const auto took = story.ms(end) - story.ms(operation.called);
  if (limit == 0 || (operation.answered != never && took <= limit)) return std::nullopt;
  return Finding{
      .property = Property::liveness,
      .sentence = fmt::format(
          "{}'s {} had to end within {} ms, and {}", operation.lane, operation.name, limit,
          operation.answered == never ? std::string("never did") : fmt::format("took {} ms", took)),
      .may_be_the_machine = story.longest_stall() > milliseconds(limit) / 3,
      .evidence = {operation.called, end}};
}

// Did a majority of the servers answer a command of `operation`, later than a lease lasts? A disk
// that is slow to take a write can hold them all up, and nobody's threads stand still.
bool answered_after_a_lease(const Story& story, const Operation& operation) {
  const milliseconds lease(story.setting.value("lease_ms", 300));
  std::map<std::string, milliseconds> asked;  // by server
  std::set<std::string> late;
  const auto end = std::min(operation.answered, story.events.size());
  for (auto place = operation.called; place < end; ++place) {
    const auto& event = story.events[place];
    if (event.lane != operation.lane) continue;
    const auto at = std::chrono::duration_cast<milliseconds>(event.at);
    if (event.kind == Kind::command) asked[event.text("to")] = at;
    if (!answers_a_command(event) || !asked.contains(event.text("from"))) continue;
    if (at - asked[event.text("from")] > lease) late.insert(event.text("from"));
  }
  return late.size() >= story.majority();
}

}  // namespace

std::vector<Finding> judge_liveness(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    const auto& call = story.events[operation.called];
    if (auto late = judge_end(story, operation)) findings.push_back(std::move(*late));
    if (!call.data.value("must_get_in", false) || operation.outcome == "acquired") continue;
    findings.push_back({.property = Property::liveness,
                        .sentence = say_shut_out(story, operation),
                        // It would have to stand still for a good part of that time; less, if
                        // one answer has only come too late.
                        .may_be_the_machine =
                            (operation.outcome == "unknown" &&
                             (story.stood_still() || answered_after_a_lease(story, operation))) ||
                            story.longest_stall() > milliseconds(call.data.value("wait_ms", 0)) / 3,
                        .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

}  // namespace faults
