#include "faults/judging/shut_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/judging/attribution.h"

namespace faults {
namespace {

// Since when the lock had been free when `operation` ended without it; never: a client had it, or
// it went with its server.
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
           command.heard != never && command.may_use_keys();
  });
}

// Does a server have the lock at `place` for another client than that of `operation`?
bool stands_for_another(const Trace& trace, const Operation& operation, std::size_t place) {
  return std::any_of(trace.holds.begin(), trace.holds.end(), [&](const ServerHold& hold) {
    return hold.exists_at(place) && hold.owner != operation.client;
  });
}

// The last time that the lock was free while `operation` waited for it, if another client had it
// both at the beginning and at the end; nothing: there was none, or it went with its server. The
// client's own keys on some of the servers blocked no other client.
std::optional<std::size_t> free_meanwhile(const Trace& trace, const Operation& operation) {
  std::optional<std::size_t> last;
  for (const auto& hold : trace.holds) {
    const bool ends = operation.open_at(hold.to) && hold.end != "died";
    if (!ends || hold.owner == operation.client) continue;
    if (!stands_for_another(trace, operation, hold.to)) last = hold.to;
  }
  return last;
}

// The last lock that a majority of the servers gave to `operation` itself, and that it did not
// remove; null: they did not.
const ServerHold* its_own(const Trace& trace, const Operation& operation) {
  const ServerHold* last = nullptr;
  const auto is_its = [&](const ServerHold& hold) {
    const bool stood = hold.end.empty() || hold.end == "expired";
    return operation.open_at(hold.from) && stood && hold.owner == operation.client &&
           possible_setters(trace, hold).contains(operation.client);
  };
  for (const auto& hold : trace.holds) {
    if (is_its(hold)) last = &hold;
  }
  return trace.count_nodes(is_its) >= trace.majority() ? last : nullptr;
}

// For how long the client of `hold` had asked for it, in milliseconds; 0: that is not known.
long long lease_of(const Trace& trace, const ServerHold* hold) {
  if (hold == nullptr) return 0;
  for (const auto& operation : trace.operations) {
    const bool set_it = operation.client == hold->owner && operation.open_at(hold->from);
    if (operation.name != "acquire" || !set_it) continue;
    const auto asked = operation.asked.find("lease_ms");
    if (asked != operation.asked.end() && asked->is_number()) return asked->get<long long>();
    for (const auto& event : trace.record) {
      if (event.is(Kind::ready, hold->owner) && event.data.contains("lease_ms")) {
        return event.data.value("lease_ms", 0LL);
      }
    }
    return trace.setting.value("lease_ms", 0LL);
  }
  return 0;
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

// `lease`: that of the lock which was in its way, in milliseconds; 0: not known.
std::string say_tried(const Operation& operation, long long wait, long long lease) {
  const auto leases = lease == 0 ? 0 : wait / lease;
  return fmt::format("{} tried for {} ms{}, and never got in", operation.client, wait,
                     leases > 0 ? fmt::format(", {} lease{} long", leases, leases == 1 ? "" : "s")
                                : std::string());
}

// The same next to a time at which the lock was free: both as they were measured.
std::string say_tried_though(const Trace& trace, const Operation& operation, std::size_t free) {
  const auto before = std::find_if(trace.holds.begin(), trace.holds.end(),
                                   [free](const ServerHold& hold) { return hold.to == free; });
  const auto lease = before == trace.holds.end() ? 0 : lease_of(trace, &*before);
  const bool ended = operation.answered != never;
  return say_tried(operation, ended ? took(trace, operation) : tried_for(trace, operation), lease) +
         ", though the lock was free";
}

std::string say_no_answer(const Trace& trace, const Operation& operation) {
  return trace.hold_at(operation.called) == nullptr && !was_answered(trace, operation)
             ? fmt::format("{} never got in: it asked, and was not answered", operation.client)
             : fmt::format("{} never got in: after {} ms it answered \"{}\"", operation.client,
                           took(trace, operation), operation.outcome);
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

// A client that had to get in did not, and the lock was never free: it stood for too long, or the
// client did not wait as long as the lease was that had been asked for.
std::string say_never_freed(const Trace& trace, const Operation& operation) {
  const auto end = trace.end_of(operation);
  const auto* last = trace.hold_at(end);
  const auto* hold = last != nullptr ? last : trace.hold_at(operation.called);
  const auto lease = lease_of(trace, hold);
  const auto tried = say_tried(operation, tried_for(trace, operation), lease);
  const auto whose = say_whose(trace, hold, end);
  const bool outwaited = hold == nullptr || trace.ms(end) - trace.ms(hold->from) >= lease;
  return outwaited ? fmt::format("{}: the lock {} was never freed", tried, whose)
                   : fmt::format("{}: the lock {} was asked for with a lease of {} ms", tried,
                                 whose, lease);
}

}  // namespace

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
  if (const auto* own = its_own(trace, operation)) {
    return fmt::format("{} tried for {} ms and never got in: it had set the lock itself at {} ms",
                       operation.client, wait, trace.ms(own->from));
  }
  if (const auto since = free_since(trace, operation); since != never) {
    return fmt::format("{} from {} ms on", say_tried_though(trace, operation, since),
                       trace.ms(since));
  }
  if (!trace.knows_key()) return say_tried(operation, wait, 0);
  if (const auto once = free_meanwhile(trace, operation)) {
    return fmt::format("{} at {} ms", say_tried_though(trace, operation, *once), trace.ms(*once));
  }
  return say_never_freed(trace, operation);
}

}  // namespace faults
