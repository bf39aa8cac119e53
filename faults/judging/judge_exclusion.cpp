#include <fmt/format.h>

#include <map>
#include <utility>

#include "faults/judging/properties.h"

namespace faults {

std::vector<Finding> judge_mutual_exclusion(const Story& story) {
  // For each client and account the last read; every accepted write.
  std::map<std::pair<std::string, std::string>, std::size_t> last_reads;
  std::vector<std::size_t> writes;
  std::vector<Finding> findings;
  const bool may_be_the_machine =
      story.setting.value("depends_on_time", false) && story.stood_still();
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    if (event.kind != Kind::storage) continue;
    auto& last_read = last_reads[{event.lane, event.text("account")}];
    if (event.text("what") == "read") last_read = place;
    if (event.text("what") != "write" || !event.data.value("accepted", false)) continue;
    for (const auto lost : writes) {
      const auto& victim = story.events[lost];
      if (lost < last_read || victim.lane == event.lane ||
          victim.text("account") != event.text("account")) {
        continue;
      }
      findings.push_back(
          {.property = Property::mutual_exclusion,
           .sentence = fmt::format("{}'s write at {} ms was overwritten by {} at {} ms, which "
                                   "still built on what it had read at {} ms",
                                   victim.lane, story.ms(lost), event.lane, story.ms(place),
                                   story.ms(last_read)),
           .may_be_the_machine = may_be_the_machine,
           .evidence = {lost, place},
           .inside = {victim.lane, event.lane}});
    }
    writes.push_back(place);
  }
  return findings;
}

std::vector<Finding> judge_owner_only_release(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& hold : story.holds) {
    if (hold.end != "del" || hold.ended_by == hold.owner || hold.owner.empty()) continue;
    const auto who = hold.ended_by.empty() ? std::string("somebody") : hold.ended_by;
    findings.push_back(
        {.property = Property::owner_only_release,
         .sentence = fmt::format("at {} ms {} removed the lock that {} had taken at {} ms and not "
                                 "given back",
                                 story.ms(hold.to), who, hold.owner, story.ms(hold.from)),
         .evidence = {hold.from, hold.to}});
  }
  return findings;
}

std::vector<Finding> judge_first_come(const Story& story) {
  const auto waits = [&](const Operation& operation) {
    return operation.name == "acquire" &&
           story.events[operation.called].data.value("wait_ms", 0) > 0;
  };
  std::vector<Finding> findings;
  for (const auto& later : story.operations) {
    if (!waits(later) || later.outcome != "acquired") continue;
    for (const auto& earlier : story.operations) {
      if (!waits(earlier) || earlier.called >= later.called || earlier.answered < later.answered) {
        continue;
      }
      findings.push_back({.property = Property::first_come,
                          .sentence = fmt::format("{} had waited since {} ms when {}, who came at "
                                                  "{} ms, got in",
                                                  earlier.lane, story.ms(earlier.called),
                                                  later.lane, story.ms(later.called)),
                          .evidence = {later.answered}});
    }
  }
  return findings;
}

}  // namespace faults
