#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "faults/judging/properties.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

// Since when nobody had the lock when `operation` ended without it; never: somebody had it, or it
// went with its server.
std::size_t free_since(const Trace& trace, const Operation& operation) {
  const auto end = std::min(operation.answered, trace.record.size() - 1);
  const ServerHold* last = nullptr;
  for (const auto& hold : trace.holds) {
    // Its own: it did not know that it had a part of it, or took that back as it gave up.
    if (hold.owner == operation.client && operation.open_at(hold.from)) continue;
    if (hold.exists_at(end)) return never;
    if (hold.to <= end && (last == nullptr || last->to < hold.to)) last = &hold;
  }
  return last == nullptr || last->end == "died" ? never : last->to;
}

// Did a server answer a command of `operation`?
bool was_answered(const Trace& trace, const Operation& operation) {
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    return command.client == operation.client && operation.open_at(command.place) &&
           command.heard != never;
  });
}

// The last time that nobody had the lock while `operation` waited for it, which somebody had when
// that began and when it ended; nothing: there was none, or it went with its server.
std::optional<std::size_t> free_meanwhile(const Trace& trace, const Operation& operation) {
  std::optional<std::size_t> last;
  for (const auto& hold : trace.holds) {
    if (operation.open_at(hold.to) && hold.end != "died" && trace.hold_at(hold.to) == nullptr) {
      last = hold.to;
    }
  }
  return last;
}

// Why a client that had to get in did not.
std::string say_shut_out(const Trace& trace, const Operation& operation) {
  const auto* hold = trace.hold_at(operation.called);
  const auto took = [&] { return trace.ms(operation.answered) - trace.ms(operation.called); };
  if (operation.outcome == "error" || operation.outcome == "unknown") {
    return hold == nullptr && !was_answered(trace, operation)
               ? fmt::format("{} never got in: it asked, and was not answered", operation.client)
               : fmt::format("{} never got in: after {} ms it answered \"{}\"", operation.client,
                             took(), operation.outcome);
  }
  const auto patience = operation.asked.value("wait_ms", 0LL);
  // A client without an answer waits still. A library may take far longer than it was asked to.
  const auto wait = operation.answered == never ? patience
                    : took() < 2 * patience     ? std::min(patience, took())
                                                : took();
  if (hold != nullptr && hold->owner == operation.client) {
    return fmt::format("{} tried for {} ms and never got in: it waited for the lock that it had",
                       operation.client, wait);
  }
  const auto leases = wait / std::max(1, trace.setting.value("lease_ms", 1));
  const auto tried =
      fmt::format("{} tried for {} ms{}, and never got in", operation.client, wait,
                  leases > 0 ? fmt::format(", {} leases long", leases) : std::string());
  if (const auto since = free_since(trace, operation); since != never) {
    return fmt::format("{}, though the lock was free from {} ms on", tried, trace.ms(since));
  }
  if (!trace.knows_key()) return tried;
  if (const auto once = free_meanwhile(trace, operation)) {
    return fmt::format("{}, though the lock was free at {} ms", tried, trace.ms(*once));
  }
  return fmt::format("{}: the lock {} was never freed", tried,
                     hold == nullptr || hold->owner.empty()
                         ? "that was left behind"
                         : "that " + hold->owner + " left behind");
}

// An operation that had to end, whatever its outcome, and did not in time.
std::optional<Finding> judge_end(const Trace& trace, const Operation& operation) {
  const auto limit = operation.asked.value("must_end_within_ms", 0LL);
  const auto end = std::min(operation.answered, trace.record.size() - 1);
  const auto took = trace.ms(end) - trace.ms(operation.called);
  if (limit == 0 || (operation.answered != never && took <= limit)) return std::nullopt;
  return Finding{
      .property = Property::liveness,
      .sentence = fmt::format(
          "{}'s {} had to end within {} ms, and {}", operation.client, operation.name, limit,
          operation.answered == never ? std::string("never did") : fmt::format("took {} ms", took)),
      .may_be_the_machine = trace.longest_stall() > milliseconds(limit) / 3,
      .evidence = {operation.called, end}};
}

// Did a majority of the servers answer a command of `operation` later than a lease lasts? A disk
// that is slow to take a write can delay them all, and nobody's threads stand still.
bool answered_after_a_lease(const Trace& trace, const Operation& operation) {
  const milliseconds lease(trace.setting.value("lease_ms", 300));
  std::map<std::string, milliseconds> asked;  // by server
  std::set<std::string> late;
  for (const auto& event : trace.events) {
    const bool is_its = event.process == operation.client && operation.open_at(event.number);
    if (!is_its) continue;
    const auto at = std::chrono::duration_cast<milliseconds>(event.at);
    if (event.kind == Kind::command) asked[event.text("to")] = at;
    if (!answers_a_command(event) || !asked.contains(event.text("from"))) continue;
    if (at - asked[event.text("from")] > lease) late.insert(event.text("from"));
  }
  return late.size() >= trace.majority();
}

}  // namespace

std::vector<Finding> judge_liveness(const Trace& trace) {
  std::vector<Finding> findings;
  for (const auto& operation : trace.operations) {
    if (auto late = judge_end(trace, operation)) findings.push_back(std::move(*late));
    if (!operation.asked.value("must_get_in", false) || operation.outcome == "acquired") continue;
    findings.push_back(
        {.property = Property::liveness,
         .sentence = say_shut_out(trace, operation),
         // It would have to stand still for a good part of that time; less, if
         // one answer has only come too late.
         .may_be_the_machine =
             (operation.outcome == "unknown" &&
              (trace.stood_still() || answered_after_a_lease(trace, operation))) ||
             trace.longest_stall() > milliseconds(operation.asked.value("wait_ms", 0)) / 3,
         .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

}  // namespace faults
