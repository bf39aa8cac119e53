#include "faults/judging/reasons.h"

#include <fmt/format.h>

#include <algorithm>

namespace faults {
namespace {

// Did a command of that operation wait in vain for replicas to acknowledge what it had written?
// (https://redis.io/docs/latest/commands/wait/)
bool waited_in_vain(const Trace& trace, const Operation& operation) {
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    return command.client == operation.client && operation.open_at(command.place) &&
           command.name() == "WAIT" && command.heard != never && command.reply == "0";
  });
}

// Was a client let in that did not have the lock, as `outcome` says, and was the harm of `other`
// done by it, or to it? Or did a client say that it had given back what then shut another one out?
bool explains(const Trace& trace, const Finding& outcome, const Finding& other) {
  if (outcome.property != Property::truthful_outcomes) return false;
  const auto& answer = trace.record.at(outcome.evidence.back());
  if (other.property == Property::mutual_exclusion) {
    const auto& inside = other.inside;
    return answer.text("outcome") == "acquired" && answer.number < other.evidence.back() &&
           std::find(inside.begin(), inside.end(), answer.process) != inside.end();
  }
  if (other.property != Property::liveness) return false;
  const auto& shut_out = trace.record.at(other.evidence.front());
  if (answer.text("op") == "acquire") return answer.process == shut_out.process;
  const auto* hold = trace.hold_at(std::min(other.evidence.back(), trace.record.size() - 1));
  return answer.text("outcome") == "released" && hold != nullptr && hold->owner == answer.process;
}

}  // namespace

std::optional<std::string> refused_rightly(const Trace& trace) {
  const auto last = std::find_if(trace.operations.rbegin(), trace.operations.rend(),
                                 [](const auto& each) { return each.answered != never; });
  const bool asked = last != trace.operations.rend() && last->name == "acquire";
  if (!asked || last->outcome == "acquired" || !waited_in_vain(trace, *last)) return std::nullopt;
  const auto end = trace.record.size() - 1;
  const bool is_free = std::none_of(trace.holds.begin(), trace.holds.end(),
                                    [&](const ServerHold& hold) { return hold.exists_at(end); });
  if (!trace.knows_key() || !is_free) return std::nullopt;
  return fmt::format(
      "{} was refused at {} ms, since no replica had acknowledged its lock, and "
      "nothing of it was left",
      last->client, trace.ms(last->answered));
}

void put_reasons_first(const Trace& trace, std::vector<Finding>& findings) {
  std::stable_partition(findings.begin(), findings.end(), [&, all = findings](const auto& finding) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Finding& other) { return explains(trace, finding, other); });
  });
}

}  // namespace faults
