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

long long took(const Trace& trace, const Operation& operation) {
  return trace.ms(operation.answered) - trace.ms(operation.called);
}

// For how many milliseconds a client tried: as long as it was asked to, unless it ended earlier, or
// much later. A client without an answer waits still.
long long tried_for(const Trace& trace, const Operation& operation) {
  const auto wait = operation.asked.value("wait_ms", 0LL);
  if (operation.answered == never) return wait;
  const auto real = took(trace, operation);
  return real > wait + wait / 10 ? real : std::min(wait, real);
}

std::string say_tried(const Trace& trace, const Operation& operation, long long wait) {
  const auto leases = wait / std::max(1, trace.setting.value("lease_ms", 1));
  return fmt::format("{} tried for {} ms{}, and never got in", operation.client, wait,
                     leases > 0 ? fmt::format(", {} leases long", leases) : std::string());
}

// The same next to a time at which the lock was free: both as they were measured.
std::string say_tried_though(const Trace& trace, const Operation& operation) {
  const bool ended = operation.answered != never;
  return say_tried(trace, operation, ended ? took(trace, operation) : tried_for(trace, operation)) +
         ", though the lock was free";
}

std::string say_no_answer(const Trace& trace, const Operation& operation) {
  return trace.hold_at(operation.called) == nullptr && !was_answered(trace, operation)
             ? fmt::format("{} never got in: it asked, and was not answered", operation.client)
             : fmt::format("{} never got in: after {} ms it answered \"{}\"", operation.client,
                           took(trace, operation), operation.outcome);
}

// Until when an operation is known to have lasted: its answer, the death of its client by the
// scenario's hand, or the end of the history.
std::size_t end_of(const Trace& trace, const Operation& operation) {
  if (operation.answered != never) return operation.answered;
  const auto killed =
      std::find_if(trace.events.begin(), trace.events.end(), [&](const Event& event) {
        return event.number > operation.called && event.is(Kind::fault, operation.client) &&
               event.text("what") == fault::killed;
      });
  return killed == trace.events.end() ? trace.record.size() - 1 : killed->number;
}

// Does its client live, and say that it has the lock?
bool is_in_hand(const Trace& trace, const ServerHold& hold, std::size_t place) {
  const auto is_death = [&](const Event& event) {
    return event.number < place && event.is(Kind::fault, hold.owner) &&
           event.text("what") == fault::killed;
  };
  return trace.claims(hold.owner, place) &&
         std::none_of(trace.events.begin(), trace.events.end(), is_death);
}

// The lock that was in a client's way.
std::string say_whose(const Trace& trace, const ServerHold* hold, std::size_t place) {
  if (hold == nullptr || hold->owner.empty()) return "that was left behind";
  return fmt::format("that {} {}", hold->owner,
                     is_in_hand(trace, *hold, place) ? "still had" : "left behind");
}

// Why a client that had to get in did not.
std::string say_shut_out(const Trace& trace, const Operation& operation) {
  if (operation.outcome == "error" || operation.outcome == "unknown") {
    return say_no_answer(trace, operation);
  }
  const auto* hold = trace.hold_at(operation.called);
  const auto wait = tried_for(trace, operation);
  if (hold != nullptr && hold->owner == operation.client) {
    return fmt::format("{} tried for {} ms and never got in: it waited for the lock that it had",
                       operation.client, wait);
  }
  if (const auto since = free_since(trace, operation); since != never) {
    return fmt::format("{} from {} ms on", say_tried_though(trace, operation), trace.ms(since));
  }
  if (!trace.knows_key()) return say_tried(trace, operation, wait);
  if (const auto once = free_meanwhile(trace, operation)) {
    return fmt::format("{} at {} ms", say_tried_though(trace, operation), trace.ms(*once));
  }
  return fmt::format("{}: the lock {} was never freed", say_tried(trace, operation, wait),
                     say_whose(trace, hold, end_of(trace, operation)));
}

// An operation that had to end, whatever its outcome, and did not in time.
std::optional<Finding> judge_end(const Trace& trace, const Operation& operation) {
  const auto limit = operation.asked.value("must_end_within_ms", 0LL);
  const auto end = end_of(trace, operation);
  const auto lasted = trace.ms(end) - trace.ms(operation.called);
  if (limit == 0 || (operation.answered != never && lasted <= limit)) return std::nullopt;
  const auto* how = operation.answered != never ? "took" : "had not ended after";
  return Finding{.property = Property::liveness,
                 .sentence = fmt::format("{}'s {} had to end within {} ms, and {} {} ms",
                                         operation.client, operation.name, limit, how, lasted),
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
