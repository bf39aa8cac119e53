#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "faults/judging/attribution.h"
#include "faults/judging/properties.h"

namespace faults {
namespace {

constexpr long long close_by = 20;  // milliseconds: an answer on its way

// Did a server ever hold the lock for `client` before `place`?
bool owned_before(const Trace& trace, const std::string& client, std::size_t place) {
  return std::any_of(trace.holds.begin(), trace.holds.end(), [&](const ServerHold& hold) {
    return hold.is_of(client) && hold.from < place;
  });
}

// Was the lock that `acquire` got gone from a majority of the servers, its lease over, well before
// the client answered? (An answer may lie unread for a while: that is the scenario's doing.)
bool is_over_before_its_answer(const Trace& trace, const Operation& acquire) {
  const auto said = trace.ms(acquire.answered) - acquire.answer.value("lay_ms", 0LL);
  const auto over = trace.count_nodes([&](const ServerHold& hold) {
    return hold.owner == acquire.client && acquire.open_at(hold.from) && hold.end == "expired" &&
           hold.to < acquire.answered && trace.ms(hold.to) + close_by < said;
  });
  const auto others = trace.nodes() - trace.majority();
  return over > others && !trace.held_for(acquire.client, acquire.answered);
}

// Untrue about the answer to an acquire, if anything is.
std::optional<std::string> untrue_acquire(const Trace& trace, const Operation& operation) {
  const auto& client = operation.client;
  // A lock that is taken again need not be set again.
  const auto given = trace.count_nodes([&](const ServerHold& hold) {
    const bool is_in_time = operation.open_at(hold.from) ||
                            (hold.from < operation.called && hold.to > operation.answered);
    if (!is_in_time) return false;
    return hold.is_of(client, operation.answered) ||
           (hold.possible_owners.contains(client) &&
            possible_setters(trace, hold).contains(client));
  });
  const auto set = trace.count_nodes([&](const ServerHold& hold) {
    return hold.owner == client && operation.open_at(hold.from) && hold.to > operation.answered;
  });
  if (operation.outcome == "acquired" && given < trace.majority()) {
    return given == 0 ? "the server never gave it the lock"
                      : fmt::format("only {} of {} servers gave it the lock", given, trace.nodes());
  }
  if (operation.outcome == "acquired" && is_over_before_its_answer(trace, operation)) {
    return "its lease was over by then";
  }
  if (operation.outcome == "acquired" && trace.another_thread_is_inside(operation)) {
    return "another of its threads held the lock";
  }
  if (operation.outcome == "contended" && set >= trace.majority()) {
    return "the server had given it the lock";
  }
  return std::nullopt;
}

// The holds that a release removed.
std::vector<const ServerHold*> removed_by(const Trace& trace, const Operation& operation) {
  std::vector<const ServerHold*> removed;
  for (const auto& hold : trace.holds) {
    if (hold.end == "del" && operation.open_at(hold.to) && hold.ended_by == operation.client) {
      removed.push_back(&hold);
    }
  }
  return removed;
}

std::optional<std::string> untrue_released(const std::vector<const ServerHold*>& removed,
                                           bool removed_its_own) {
  if (removed.empty()) return "no lock was removed";
  if (removed_its_own) return std::nullopt;
  const auto& owner = removed.back()->owner;
  return owner.empty() ? std::string("the lock that was removed was another client's")
                       : fmt::format("the lock that was removed was {}'s", owner);
}

// Untrue about "stolen" or "expired".
std::optional<std::string> untrue_loss(const Trace& trace, const Operation& operation) {
  const auto& client = operation.client;
  // When it is answered, or when the servers were asked.
  const bool exists = trace.count_nodes([&](const ServerHold& hold) {
    const bool meanwhile = hold.from < operation.answered && hold.to > operation.called;
    return hold.exists_at(operation.answered) || (meanwhile && !hold.is_of(client));
  }) > 0;
  if (operation.outcome == "stolen" && !exists) return "nobody else holds the lock";
  if (operation.outcome != "expired") return std::nullopt;
  if (!owned_before(trace, client, operation.called)) return "it never had the lock";
  // All the time, so also when the server was asked. (Of several, no majority may have been.)
  const auto* others = trace.nodes() == 1 ? trace.hold_at(operation.called) : nullptr;
  if (others == nullptr || others->is_of(client) || others->owner.empty()) return std::nullopt;
  if (others->to <= operation.answered) return std::nullopt;
  return fmt::format("{} held the lock by then", others->owner);
}

// Untrue about the answer to a release; one that says nothing of the lock is never untrue.
std::optional<std::string> untrue_release(const Trace& trace, const Operation& operation) {
  const auto& client = operation.client;
  const auto& outcome = operation.outcome;
  static const std::set<std::string, std::less<>> say_nothing{"unknown", "error", "no_outcome",
                                                              "not_released"};
  if (say_nothing.contains(outcome)) return std::nullopt;
  const bool still_held = trace.held_for(client, operation.answered);
  if (outcome == "still_held") {
    return still_held ? std::nullopt
                      : std::optional<std::string>("the server does not hold the lock for it");
  }
  const auto removed = removed_by(trace, operation);
  const auto own = trace.count_nodes([&](const ServerHold& hold) {
    return hold.is_of(client) && std::find(removed.begin(), removed.end(), &hold) != removed.end();
  });
  if (outcome == "released") return untrue_released(removed, own > 0);
  // It may have found nothing because a command that its library sent again had removed it before.
  const bool may_be_its_doing = outcome == "not_found";
  if (own >= trace.majority() && !may_be_its_doing) return "its lock was removed by this very call";
  if (still_held) return "the server still holds the lock for it";
  return untrue_loss(trace, operation);
}

// When the operation's client last heard of a server before it answered, at `said` (ms); 0 if it
// never did.
std::size_t last_heard(const Trace& trace, const Operation& operation, long long said) {
  std::size_t last = 0;
  for (const auto& event : trace.record) {
    if (event.number >= operation.answered || trace.ms(event.number) > said) break;
    if (event.process != operation.client) continue;
    const bool is_let_go = event.kind == Kind::fault && event.text("what") == fault::delivered;
    if (event.text("from") == "storage" || event.text("server") == "storage") continue;
    if (event.kind == Kind::reply || is_let_go) last = event.number;
  }
  return last;
}

// Returns what is untrue in the answer to an extend, if anything is. A yes that reaches its client
// after the lock is gone is untrue without tolerance: the client's own clock shows the end.
std::optional<std::string> untrue_extend(const Trace& trace, const Operation& operation) {
  const auto& client = operation.client;
  const auto& outcome = operation.outcome;
  const auto said = trace.ms(operation.answered) - operation.answer.value("lay_ms", 0LL);
  const auto heard = last_heard(trace, operation, said);
  const auto held = trace.count_nodes([&](const ServerHold& hold) {
    const bool is_over = hold.to < operation.answered && hold.end != "died";
    const bool is_gone = is_over && (hold.to < heard || trace.ms(hold.to) + close_by < said);
    return hold.is_of(client) && hold.from < operation.answered && !is_gone;
  });
  if (outcome == "extended" && held < trace.majority()) {
    return owned_before(trace, client, operation.answered) ? "it did not hold the lock any more"
                                                           : "it never had the lock";
  }
  const bool says_lost = outcome == "not_mine" || outcome == "not_held";
  if (says_lost && trace.held_for(client, operation.called) &&
      trace.held_for(client, operation.answered)) {
    return "the server still holds the lock for it";
  }
  return std::nullopt;
}

std::optional<std::string> untrue(const Trace& trace, const Operation& operation) {
  if (operation.name == "acquire") return untrue_acquire(trace, operation);
  if (operation.name == "release") return untrue_release(trace, operation);
  if (operation.name == "extend") return untrue_extend(trace, operation);
  return std::nullopt;
}

// A client of several servers gives up on answers that come too late, and then knows nothing of the
// lock that it was given.
bool may_be_the_machine(const Trace& trace, const Operation& operation) {
  if (trace.nodes() == 1 || !operation.is("acquire", "contended")) return false;
  const auto took = trace.ms(operation.answered) - trace.ms(operation.called);
  return took > trace.setting.value("lease_ms", 300LL) / 3 &&
         trace.longest_stall().count() > took / 4;
}

}  // namespace

std::vector<Finding> judge_truthful_outcomes(const Trace& trace) {
  std::vector<Finding> findings;
  for (const auto& operation : trace.operations) {
    if (operation.answered == never) continue;
    const auto why = untrue(trace, operation);
    if (!why) continue;
    findings.push_back({.property = Property::truthful_outcomes,
                        .sentence = fmt::format("{}'s {} answered \"{}\" at {} ms, but {}",
                                                operation.client, operation.name, operation.outcome,
                                                trace.ms(operation.answered), *why),
                        .may_be_the_machine = may_be_the_machine(trace, operation),
                        .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

}  // namespace faults
