// Rules about the lease of a thread that takes the lock it has.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// The longest lease that the client of `call` has asked for so far; 0 if one of its calls named
// none.
long long longest_asked(const Evidence& evidence, const Call& call) {
  long long longest = 0;
  for (const auto* other : evidence.acquired()) {
    if (other->client != call.client || other->called > call.called) continue;
    const auto asked = other->asked.value("lease_ms", 0LL);
    if (asked == 0) return 0;
    longest = std::max(longest, asked);
  }
  return longest;
}

}  // namespace

Says inner_lease_shortens(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion) && !evidence.broke(Property::holder_was_told)) {
    return std::nullopt;
  }
  long long longest = 0;
  for (const auto* call : evidence.acquired()) {
    const auto asked = call->asked.value("lease_ms", 0LL);
    const auto commands = evidence.of(*call);
    const bool set = std::any_of(commands.begin(), commands.end(),
                                 [](const Sent* command) { return command->did("expire"); });
    const bool inner = depth_at(evidence, call->client, call->called) > 0;
    if (inner && set && asked < longest) {
      return fmt::format(
          "your second acquire shortened the lease: {} ms were promised to the outer level, and "
          "the inner one set {} ms; the longest that anybody inside asked for has to win",
          longest, asked);
    }
    longest = inner ? std::max(longest, asked) : asked;
  }
  return std::nullopt;
}

Says inner_lease_not_set(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto asked = call->asked.value("lease_ms", 0LL);
    if (asked == 0 || depth_at(evidence, call->client, call->called) == 0) continue;
    const auto* hold = evidence.held_at("redis", call->answered);
    if (hold == nullptr || hold->owner != call->client || hold->end != "expired") continue;
    const auto end = evidence.ms(hold->to);
    if (end >= evidence.ms(call->answered) + asked * 8 / 10) continue;
    return fmt::format(
        "your second acquire did not lengthen the lease: {} ms were asked for at {} ms, and at {} "
        "ms the lock was gone; the longest that anybody inside asked for has to win",
        asked, evidence.ms(call->answered), end);
  }
  return std::nullopt;
}

// The answer to a script that takes the lock is the lease from now on.
Says leases_added_up(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    if (depth_at(evidence, call->client, call->called) == 0) continue;
    const auto asked = longest_asked(evidence, *call);
    for (const auto* command : evidence.of(*call)) {
      const auto lease = command->number().value_or(0);
      // Far more is no lease, but a time of day.
      if (asked == 0 || !command->is_script() || lease <= asked || lease > 10 * asked) continue;
      return fmt::format(
          "your second acquire made the lease longer than anybody asked for: {} ms at most, and "
          "the server was given {} ms; leases do not add up, since a dead holder's lock stays for "
          "all of it",
          asked, lease);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
