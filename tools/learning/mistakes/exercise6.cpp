// Mistakes with re-entry, and with waiting for word of a release.
#include <algorithm>
#include <array>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

using faults::Kind;
using faults::never;

// The hold that `client` had at `place`, on the first server; null: none.
const faults::ServerHold* hold_at(const TraceQuery& query, const std::string& client,
                                  std::size_t place) {
  const auto* hold = query.trace().hold_at(place);
  return hold != nullptr && hold->is_of(client) ? hold : nullptr;
}

Seen waits_for_itself(const TraceQuery& query) {
  return query.acquires()
      .inner()
      .where([&](const Operation& call) {
        const bool refused = call.outcome == "contended" || call.outcome.empty();
        const auto* hold = hold_at(query, call.client, call.called);
        return refused && hold != nullptr && !call.asked.contains("join") &&
               hold->to > std::min(call.answered, query.trace().record.size() - 1);
      })
      .seen();
}

Seen inner_release_deletes(const TraceQuery& query) {
  return query.releases()
      .commands()
      .that_did("del")
      .where([&](const Sent& sent) {
        const auto* call = query.call_of(sent);
        return query.depth_before(*call) > 1 && !query.is_on_anothers(sent);
      })
      .seen();
}

// A command was sent twice, since its answer was lost, and the server did it twice.
Seen counted_twice(const TraceQuery& query) {
  return query.commands()
      .that_did("hincrby")
      .where([](const Sent& sent) { return sent.is_script(); })
      .seen();
}

// An inner acquire after which the hold ran out before the larger of the two leases, which the
// outer one or the inner one had asked for.
Seen ran_out_too_early(const TraceQuery& query, bool inner_is_larger) {
  for (const auto* inner : query.acquires().inner().acquired()) {
    const auto* outer = query.acquire_before(inner->client, inner->called);
    if (outer == nullptr || query.lease_of(*inner) == query.lease_of(*outer)) continue;
    if ((query.lease_of(*inner) > query.lease_of(*outer)) != inner_is_larger) continue;
    const auto larger = std::max(query.lease_of(*inner), query.lease_of(*outer));
    for (const auto& hold : query.trace().holds) {
      const bool is_its = hold.owner == inner->client && hold.from < inner->called;
      if (!is_its || hold.end != "expired") continue;
      const auto lasted = query.trace().ms(hold.to) - query.trace().ms(inner->answered);
      if (lasted < larger / 2) return {.call = inner};
    }
  }
  return {};
}

Seen inner_lease_shortens(const TraceQuery& query) {
  return ran_out_too_early(query, /*inner_is_larger=*/false);
}

Seen inner_lease_not_granted(const TraceQuery& query) {
  return ran_out_too_early(query, /*inner_is_larger=*/true);
}

// Work was abandoned while the hold was there, though an inner acquire had got it a longer lease.
Seen outer_level_believes_it_over(const TraceQuery& query) {
  const auto work = query.calls([](const Operation& call) { return call.is("work", "abandoned"); });
  const bool was_disturbed =
      query.had_fault(faults::fault::terminated) || query.had_fault(faults::fault::cut_off) ||
      query.had_fault(faults::fault::frozen) || query.had_fault(faults::fault::reset);
  return work
      .where([&](const Operation& call) {
        const auto* inner = query.acquire_before(call.client, call.called);
        if (was_disturbed || call.asked.value("throws", false) || inner == nullptr) return false;
        const auto* outer = query.acquire_before(inner->client, inner->called);
        const auto* hold = hold_at(query, call.client, call.called);
        // Who abandons work gives the lock back.
        const bool was_there =
            hold != nullptr && (hold->to > call.answered || hold->ended_by == call.client);
        return was_there && outer != nullptr && query.depth_before(*inner) > 0 &&
               query.depth_before(call) < query.depth_before(*inner) + 1 &&
               query.lease_of(*inner) > query.lease_of(*outer);
      })
      .seen();
}

Seen two_with_one_name(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .outermost()
      .commands()
      .scripts()
      .that_wrote()
      .where([&](const Sent& sent) {
        const auto* call = query.call_of(sent);
        return call != nullptr && query.is_on_anothers(sent) && !call->asked.contains("join");
      })
      .seen();
}

Seen join_begins(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .where([&](const Operation& call) {
        return call.asked.contains("join") && query.trace().hold_at(call.called) == nullptr;
      })
      .seen();
}

Seen wakes_nobody(const TraceQuery& query) {
  const bool somebody_listens =
      query.commands().where([](const Sent& sent) { return sent.name() == "SUBSCRIBE"; }).any();
  if (!somebody_listens || query.on_several_servers()) return {};
  const bool heard =
      std::any_of(query.trace().record.begin(), query.trace().record.end(), [](const auto& event) {
        return event.kind == Kind::reply && event.text("command") == "message";
      });
  if (heard) return {};
  return query.releases()
      .answered("released")
      .where([&](const Operation& release) {
        return query.acquires()
            .where([&](const Operation& waiting) {
              return waiting.client != release.client && waiting.open_at(release.called) &&
                     waiting.open_at(release.answered);
            })
            .any();
      })
      .seen();
}

Seen does_not_wait(const TraceQuery& query) {
  return query.acquires()
      .contended()
      .outermost()
      .where([&](const Operation& call) {
        const auto wait = call.asked.value("wait_ms", 0LL);
        const auto took = query.trace().ms(call.answered) - query.trace().ms(call.called);
        return wait > 100 && took < wait / 4 && !call.asked.contains("tries") &&
               !query.had_fault(faults::fault::terminated);
      })
      .seen();
}

Seen asks_without_a_pause(const TraceQuery& query) {
  constexpr std::size_t many = 200;
  return query.acquires()
      .where([&](const Operation& call) {
        return query.commands_of(call).answered_no().count() > many * query.trace().nodes();
      })
      .seen();
}

const std::array reentry_rows{
    Mistake{.key = "waits_for_itself",
            .seen = waits_for_itself,
            .sentence = "A thread that holds the lock took it again, and was refused: it waits for "
                        "itself.",
            .look_at = "the script has to know the hold's token, and say yes to it"},
    Mistake{.key = "inner_release_deletes",
            .seen = inner_release_deletes,
            .sentence = "An inner release removed the lock: the same thread was still inside.",
            .look_at = "the depth that is left: above 0, the lock stays"},
    Mistake{.key = "counts_up",
            .until = '7',
            .seen = counted_twice,
            .sentence = "Your script counts the depth up: a command that is sent again, since its "
                        "answer was lost, counts twice.",
            .look_at = "HSET the depth that is to be; HINCRBY adds"},
    Mistake{.key = "inner_lease_shortens",
            .seen = inner_lease_shortens,
            .sentence = "An inner acquire with a short lease shortened the lease of the outer one.",
            .look_at = "the larger lease has to win, and to be kept in the hash",
            .rather_than = {"never_told"}},
    Mistake{.key = "inner_lease_not_granted",
            .seen = inner_lease_not_granted,
            .sentence =
                "An inner acquire asked for a longer lease and did not get it: the lock ran "
                "out with the lease of the outer one.",
            .look_at = "the larger lease has to win, and to be kept in the hash",
            .rather_than = {"never_told"}},
    Mistake{.key = "outer_level_believes_it_over",
            .seen = outer_level_believes_it_over,
            .sentence = "An inner acquire got the lock a longer lease, and the outer level does "
                        "not know it: it says that the lock is lost.",
            .look_at = "the levels of one hold share it: entry.hold, if there is one"},
    Mistake{.key = "let_in_while_held",
            .seen = two_with_one_name,
            .sentence = "Your script let a client in while another had the lock: it does not tell "
                        "the two apart.",
            .look_at = "compare the hold's token; a thread's number is the same in every process",
            .rather_than = {"own_lock_left", "told_of_nothing"}},
    Mistake{.key = "join_begins",
            .seen = join_begins,
            .sentence = "Your join began a new hold: the one that it was to enter was over.",
            .look_at = "where the token is not that of the lock: a join answers 0 and sets "
                       "nothing"},
    Mistake{.key = "wakes_nobody",
            .until = '6',
            .seen = wakes_nobody,
            .sentence = "A release sent no message: a client that waited for one got nothing.",
            .look_at = "PUBLISH to the channel on which waiters listen: channel in release.lua"},
    Mistake{.key = "does_not_wait",
            .seen = does_not_wait,
            .sentence = "Your acquire gave up immediately although it was allowed to wait.",
            .look_at = "how long it may wait, and in which unit"},
    Mistake{.key = "asks_without_a_pause",
            .seen = asks_without_a_pause,
            .sentence = "Your acquire asked hundreds of times while it waited.",
            .look_at = "the refusal says how long the lease lasts, in milliseconds: wait for word, "
                       "or for that",
            .although_it_holds = true},
};

}  // namespace

std::span<const Mistake> mistakes_with_reentry() {
  return reentry_rows;
}

}  // namespace learning
