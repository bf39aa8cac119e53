#include <fmt/format.h>

#include <map>
#include <utility>

#include "faults/judging/properties.h"

namespace faults {
namespace {

Finding lost_write(const Trace& trace, const Event& lost, const Event& write, std::size_t read,
                   bool may_be_the_machine) {
  return {.property = Property::mutual_exclusion,
          .sentence = fmt::format("{}'s write at {} ms was overwritten by {} at {} ms, which "
                                  "still built on what it had read at {} ms",
                                  lost.process, trace.ms(lost.number), write.process,
                                  trace.ms(write.number), trace.ms(read)),
          .may_be_the_machine = may_be_the_machine,
          .evidence = {lost.number, write.number},
          .inside = {lost.process, write.process}};
}

}  // namespace

std::vector<Finding> judge_mutual_exclusion(const Trace& trace) {
  std::map<std::pair<std::string, std::string>, std::size_t> last_reads;  // by client and account
  std::vector<const Event*> writes;                                       // that were accepted
  std::vector<Finding> findings;
  const bool may_be_the_machine =
      trace.setting.value("depends_on_time", false) && trace.stood_still();
  for (const auto& event : trace.events) {
    if (event.kind != Kind::storage) continue;
    const auto account = event.text("account");
    auto& last_read = last_reads[{event.process, account}];
    if (event.text("what") == "read") last_read = event.number;
    if (event.text("what") != "write" || !event.data.value("accepted", false)) continue;
    for (const auto* earlier : writes) {
      const bool is_own = earlier->process == event.process;
      if (is_own || earlier->text("account") != account || earlier->number < last_read) continue;
      findings.push_back(lost_write(trace, *earlier, event, last_read, may_be_the_machine));
    }
    writes.push_back(&event);
  }
  return findings;
}

std::vector<Finding> judge_owner_only_release(const Trace& trace) {
  std::vector<Finding> findings;
  for (const auto& hold : trace.holds) {
    if (hold.end != "del" || hold.is_of(hold.ended_by) || hold.owner.empty()) continue;
    const auto remover = hold.ended_by.empty() ? std::string("somebody") : hold.ended_by;
    findings.push_back(
        {.property = Property::owner_only_release,
         .sentence = fmt::format("at {} ms {} removed the lock that {} had taken at {} ms and not "
                                 "given back",
                                 trace.ms(hold.to), remover, hold.owner, trace.ms(hold.from)),
         .evidence = {hold.from, hold.to}});
  }
  return findings;
}

std::vector<Finding> judge_first_come(const Trace& trace) {
  const auto waits = [](const Operation& operation) {
    return operation.name == "acquire" && operation.asked.value("wait_ms", 0) > 0;
  };
  std::vector<Finding> findings;
  for (const auto& later : trace.operations) {
    if (!waits(later) || later.outcome != "acquired") continue;
    for (const auto& earlier : trace.operations) {
      const bool came_first = waits(earlier) && earlier.called < later.called;
      if (!came_first || earlier.answered < later.answered) continue;
      findings.push_back({.property = Property::first_come,
                          .sentence = fmt::format("{} had waited since {} ms when {}, who came at "
                                                  "{} ms, got in",
                                                  earlier.client, trace.ms(earlier.called),
                                                  later.client, trace.ms(later.called)),
                          .evidence = {later.answered}});
    }
  }
  return findings;
}

}  // namespace faults
