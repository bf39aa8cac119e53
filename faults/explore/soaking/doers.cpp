#include "faults/explore/soaking/doers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "faults/explore/soaking/passes.h"
#include "faults/judging/trace.h"

namespace explore {
namespace {

using faults::Property;

// A command whose reply was never seen may be carried out that much later.
constexpr std::chrono::seconds late{1};

bool is_change(const faults::Event& event) {
  if (event.kind != faults::Kind::server || event.is_of_another_key()) return false;
  const auto what = event.text("what");
  return what != "expired" && what != "evicted" && what != "kept" && !event.data.contains("by");
}

bool only_reads(const faults::SentCommand& command) {
  const std::set<std::string> readers{"GET", "TTL", "PTTL", "EXISTS", "HGET", "HGETALL"};
  return readers.contains(command.name());
}

// The clients one of whose commands may have done that.
std::set<std::string> may_have_done(const faults::Trace& trace, const faults::Event& change) {
  std::set<std::string> clients;
  for (const auto& command : trace.sent) {
    if (command.place > change.number) break;
    const bool is_there = trace.node_of(command.server) == trace.node_of(change.process);
    if (!is_there || !command.is_about(trace.key_on_server) || only_reads(command)) continue;
    const auto age = change.at - trace.record[command.place].at;
    const bool may_come = command.answered == faults::never && age < late;
    if (command.in_flight_at(change.number) || may_come) clients.insert(command.client);
  }
  return clients;
}

bool follows_from_holds(const faults::Finding& finding) {
  return finding.property == Property::owner_only_release ||
         finding.property == Property::owner_only_renewal ||
         finding.property == Property::truthful_outcomes;
}

}  // namespace

std::set<std::size_t> name_doers(faults::Record& record) {
  const faults::Trace trace(record);
  std::set<std::size_t> untold;
  for (const auto& event : trace.record) {
    if (!is_change(event)) continue;
    const auto clients = may_have_done(trace, event);
    if (clients.size() == 1) record[event.number].data["by"] = *clients.begin();
    if (clients.size() != 1) untold.insert(event.number);
  }
  return untold;
}

void leave_out_doubtful(faults::Judgement& judgement, const faults::Record& record,
                        const std::set<std::size_t>& untold) {
  if (judgement.verdict != faults::Verdict::violated) return;
  const faults::Trace trace(record);
  std::erase_if(judgement.findings, [&](const faults::Finding& finding) {
    const auto span = span_of(finding, trace);
    const auto first = untold.lower_bound(span.from);
    return follows_from_holds(finding) && first != untold.end() && *first <= span.last;
  });
  if (!judgement.findings.empty()) return;
  judgement.verdict = faults::Verdict::inconclusive;
  judgement.why = "several clients asked a server at once: whose the lock was cannot be told";
}

}  // namespace explore
