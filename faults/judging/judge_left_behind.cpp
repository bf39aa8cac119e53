#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "faults/judging/attribution.h"
#include "faults/judging/properties.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

// A lock on a server that its client has no use for.
struct Leftover {
  const ServerHold* hold = nullptr;
  std::string client;
  std::size_t since = 0;  // from then on its client has given up, or has given the lock back
  std::string why;        // in words
};

// The end of what an acquire that ended without the lock had set.
std::optional<Leftover> of_failed_acquire(const Trace& trace, const ServerHold& hold,
                                          const Operation& acquire) {
  if (acquire.answered == never || acquire.outcome == "acquired" || acquire.outcome == "died") {
    return std::nullopt;
  }
  return Leftover{.hold = &hold,
                  .client = acquire.client,
                  .since = acquire.answered,
                  .why = fmt::format("{}'s acquire answered \"{}\" at {} ms", acquire.client,
                                     acquire.outcome, trace.ms(acquire.answered))};
}

// A lock that was set when its client was in no acquire any more, and had not got in by one.
std::optional<Leftover> of_late_command(const Trace& trace, const ServerHold& hold,
                                        const std::string& client) {
  if (trace.claims(client, hold.from)) return std::nullopt;
  const Operation* last = nullptr;
  for (const auto& operation : trace.operations) {
    const bool is_its = operation.client == client && operation.name != "interrupt";
    if (is_its && operation.called < hold.from) last = &operation;
  }
  if (last == nullptr || last->answered == never) return std::nullopt;
  return Leftover{.hold = &hold,
                  .client = client,
                  .since = std::max(hold.from, last->answered),
                  .why = fmt::format("{}'s {} answered \"{}\" at {} ms, and a late command set the "
                                     "lock at {} ms",
                                     client, last->name, last->outcome, trace.ms(last->answered),
                                     trace.ms(hold.from))};
}

std::optional<Leftover> leftover_of(const Trace& trace, const ServerHold& hold) {
  const bool was_removed = !hold.end.empty() && hold.end != "expired";
  const auto setters = possible_setters(trace, hold);
  if (was_removed || setters.size() != 1) return std::nullopt;
  const auto& client = *setters.begin();
  for (const auto& operation : trace.operations) {
    const bool is_its = operation.name == "acquire" && operation.client == client;
    if (is_its && operation.open_at(hold.from)) return of_failed_acquire(trace, hold, operation);
  }
  return of_late_command(trace, hold, client);
}

// Until when it stood, as far as that is known: its client asks again, and may find it useful.
std::size_t end_of(const Trace& trace, const Leftover& left) {
  auto end = std::min(left.hold->to, trace.record.size() - 1);
  for (const auto& operation : trace.operations) {
    const bool asks = operation.client == left.client && operation.name == "acquire";
    if (asks && operation.called > left.since) end = std::min(end, operation.called);
  }
  return end;
}

// Is there a fault by which the client cannot have taken it back before `end`?
bool is_hindered(const Trace& trace, const Leftover& left, std::size_t end) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&](const Event& event) {
    if (event.kind != Kind::fault || event.number >= end) return false;
    const auto what = event.text("what");
    const bool stops = what == fault::killed || what == fault::frozen;
    if (event.process == left.hold->server) return stops && event.number > left.since;
    return event.process == left.client &&
           (stops || what == fault::cut_off || what == fault::unreachable);
  });
}

// Has the client sent a command that may take it back, and that was not seen to be done?
bool is_taking_back(const Trace& trace, const Leftover& left) {
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    const bool is_there = command.client == left.client && command.server == left.hold->server &&
                          command.is_about(trace.key_on_server);
    const bool removes = command.is_script() || command.plainly_does("del");
    return is_there && removes && command.answered == never;
  });
}

// True if that lease is the one with which it was set: its client has sent nothing since.
bool is_its_first_lease(const Trace& trace, const Leftover& left, const Event& lease) {
  return std::none_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    return command.client == left.client && left.hold->from < command.place &&
           command.place < lease.number;
  });
}

// When its client renewed it after it had given up; never: it did not.
std::size_t renewed_at(const Trace& trace, const Leftover& left, std::size_t end) {
  for (const auto& event : trace.events) {
    const bool is_lease =
        event.is(Kind::server, left.hold->server) && event.text("what") == "expire";
    if (!is_lease || event.number <= left.since || event.number >= end) continue;
    if (is_its_first_lease(trace, left, event)) continue;
    const auto asking = trace.asking(trace.node_of(event.process), event.number);
    const bool is_alone =
        !asking.empty() && std::all_of(asking.begin(), asking.end(),
                                       [&](const auto& client) { return client == left.client; });
    if (is_alone || event.text("by") == left.client) return event.number;
  }
  return never;
}

std::string say(const Trace& trace, const Leftover& left, std::size_t end) {
  const auto where = fmt::format("{}; its lock on {}", left.why, left.hold->server);
  if (const auto renewed = renewed_at(trace, left, end); renewed != never) {
    return fmt::format("{} was renewed at {} ms", where, trace.ms(renewed));
  }
  return left.hold->to == end
             ? fmt::format("{} stood until its lease ended at {} ms", where, trace.ms(end))
             : fmt::format("{} still stood at {} ms", where, trace.ms(end));
}

}  // namespace

std::vector<Finding> judge_nothing_left(const Trace& trace) {
  // A lock may take back what it has set after its answer. That takes far less than a lease.
  const milliseconds grace(trace.setting.value("lease_ms", 300));
  std::vector<Finding> findings;
  for (const auto& hold : trace.holds) {
    const auto left = leftover_of(trace, hold);
    if (!left) continue;
    const auto end = end_of(trace, *left);
    if (end <= left->since) continue;
    const milliseconds stood(trace.ms(end) - trace.ms(left->since));
    if (stood < grace) continue;
    if (is_hindered(trace, *left, end) || is_taking_back(trace, *left)) continue;
    findings.push_back({.property = Property::nothing_left,
                        .sentence = say(trace, *left, end),
                        .may_be_the_machine = trace.longest_stall() > stood / 3,
                        .evidence = {hold.from, left->since}});
  }
  return findings;
}

}  // namespace faults
