// Mistakes with the lease: that it is there, when it comes, and how long it is; and what a release
// says once the lease may have run out.
#include <algorithm>
#include <array>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

// The lease that a command sets, in ms; 0: it sets none, or not one that can be read.
long long lease_set_by(const Sent& sent) {
  const auto name = sent.name();
  if (name == "PEXPIRE") return sent.number_after_key().value_or(0);
  if (name == "EXPIRE") return 1000 * sent.number_after_key().value_or(0);
  if (name == "PSETEX") return sent.number_after_key().value_or(0);
  if (name == "SETEX") return 1000 * sent.number_after_key().value_or(0);
  if (const auto px = sent.number_of_option("PX")) return *px;
  if (const auto ex = sent.number_of_option("EX")) return 1000 * *ex;
  return 0;
}

bool counts_seconds(const Sent& sent) {
  const auto name = sent.name();
  return name == "EXPIRE" || name == "SETEX" || sent.number_of_option("EX");
}

// Is the lease that `sent` sets off by about that factor?
bool is_off(const TraceQuery& query, const Sent& sent, double least, double most) {
  const auto* call = query.call_of(sent);
  const auto set = lease_set_by(sent);
  if (call == nullptr || set <= 0) return false;
  const auto ratio = static_cast<double>(set) / static_cast<double>(query.lease_of(*call));
  return least <= ratio && ratio <= most;
}

CommandList leases_of_acquires(const TraceQuery& query) {
  return query.acquires().on_one_server().commands().where(
      [](const Sent& sent) { return lease_set_by(sent) > 0; });
}

bool is_without_a_lease(const TraceQuery& query, const Operation& call) {
  const auto sent = query.commands_of(call);
  return sent.that_wrote().any() && !sent.that_did("expire").any() && !sent.leases().any();
}

// Did a hold end by itself, and the next client got in? Then its lease is in its value.
bool has_run_out(const TraceQuery& query) {
  const auto& holds = query.trace().holds;
  return std::any_of(holds.begin(), holds.end(), [](const faults::ServerHold& hold) {
    return hold.end == "expired" || hold.end == "taken over";
  });
}

Seen no_lease(const TraceQuery& query) {
  if (has_run_out(query)) return {};
  // Also of the preparations: there nobody is killed between two commands.
  const auto none = [&](const Operation& call) { return is_without_a_lease(query, call); };
  const auto all = query.preparations("acquire").on_one_server().outermost().acquired();
  if (all.where(none).any() && !query.preparations("acquire").commands().leases().any()) {
    return query.acquires().on_one_server().where(none).seen();
  }
  return {};
}

Seen lease_in_seconds(const TraceQuery& query) {
  return leases_of_acquires(query)
      .where(
          [&](const Sent& sent) { return counts_seconds(sent) && is_off(query, sent, 500, 1e6); })
      .seen();
}

Seen lease_not_as_asked(const TraceQuery& query) {
  // Where all is well it may be the first of two leases.
  const bool holds = query.judgement().verdict == faults::Verdict::holds;
  return leases_of_acquires(query)
      .where([&](const Sent& sent) {
        const bool shorter = !holds && is_off(query, sent, 0, 0.6);
        const bool longer = is_off(query, sent, 4.0, 1e6) && lease_set_by(sent) > 1000;
        if (counts_seconds(sent) && is_off(query, sent, 500, 1e6)) return false;
        return shorter || longer;
      })
      .seen();
}

// Is a script of another client under way as well, which may have done what `sent` is said to have?
bool may_be_anothers_doing(const TraceQuery& query, const Sent& sent) {
  if (!sent.is_script()) return false;
  return query.commands()
      .scripts()
      .where([&](const Sent& other) {
        return other.client != sent.client && other.server == sent.server &&
               other.place < sent.answered && sent.place < other.answered;
      })
      .any();
}

// The scenario has nothing to show unless a lease runs out.
Seen renews_a_given_lease(const TraceQuery& query) {
  if (query.judgement().verdict != faults::Verdict::not_exercised) return {};
  return query.renewals()
      .that_did("expire")
      .where([&](const Sent& sent) {
        const auto* call = query.acquire_before(sent.client, sent.place);
        return call != nullptr && call->asked.contains("lease_ms");
      })
      .seen();
}

Seen contender_extends(const TraceQuery& query) {
  return query.acquires()
      .commands()
      .on_anothers()
      .that_did("expire")
      .where([&](const Sent& sent) {
        const auto* hold = query.trace().hold_on(sent.server, sent.place);
        const bool is_first = hold != nullptr && !query.trace().had_lease(*hold, sent.place);
        return !sent.said_no() && !is_first && !may_be_anothers_doing(query, sent);
      })
      .seen();
}

Seen lease_before_the_key(const TraceQuery& query) {
  return query.acquires()
      .commands()
      .leases()
      .answered_no()
      .where([&](const Sent& sent) {
        const auto all = query.commands_of(*query.call_of(sent));
        const auto later = all.after(sent.place);
        return all.first() == &sent && later.that_wrote().any() && !later.that_did("expire").any();
      })
      .seen();
}

// A SET without a lease removes the one that the key had:
// https://redis.io/docs/latest/commands/set/
Seen lease_dropped(const TraceQuery& query) {
  return query.acquires()
      .on_one_server()
      .acquired()
      .commands()
      .that_did("set")
      .where([&](const Sent& sent) {
        const bool drops =
            (sent.name() == "SET" && !sent.has_option("KEEPTTL")) || sent.name() == "GETSET";
        const auto all = query.commands_of(*query.call_of(sent));
        return drops && !sent.did("expire") && all.before(sent.place).that_did("expire").any() &&
               !all.after(sent.place).that_did("expire").any();
      })
      .seen();
}

Seen released_whatever_was_said(const TraceQuery& query) {
  return query.releases()
      .on_one_server()
      .answered("released")
      .where([&](const Operation& call) {
        const auto sent = query.commands_of(call);
        if (!sent.any()) return query.acquire_before(call.client, call.called) != nullptr;
        return !sent.that_did("del").any() && sent.last()->said_no() &&
               sent.last()->heard < call.answered;
      })
      .seen();
}

const std::array leases_rows{
    Mistake{.key = "no_lease",
            .seen = no_lease,
            .sentence = "Your lock has no lease: when its holder dies, nobody ever frees it.",
            .look_at = "the server can remove the key by itself: PEXPIRE, or SET with PX"},
    Mistake{.key = "lease_dropped",
            .seen = lease_dropped,
            .sentence =
                "Your acquire sets the lease, and then the key again: SET removes the lease "
                "that the key had.",
            .look_at = "the order of the two commands, or SET with PX",
            .rather_than = {"no_lease", "lease_in_a_second_command"},
            .although_it_holds = true},
    Mistake{.key = "lease_in_seconds",
            .until = '5',
            .seen = lease_in_seconds,
            .sentence = "Your lease is a thousand times longer than asked for: milliseconds were "
                        "given to a command that counts seconds.",
            .look_at = "EXPIRE and EX count seconds, PEXPIRE and PX milliseconds",
            .although_it_holds = true},
    Mistake{.key = "lease_not_as_asked",
            .until = '4',
            .seen = lease_not_as_asked,
            .sentence = "Your lease is not the one that was asked for.",
            .look_at = "each lock is made with a lease of its own: hand that one to the server",
            .although_it_holds = true},
    Mistake{.key = "contender_extends",
            .until = '5',
            .seen = contender_extends,
            .sentence = "Your acquire sets the lease of a lock that another client has: whoever "
                        "asks for it prolongs it.",
            .look_at = "set the lease only if the key was set by this call",
            .although_it_holds = true},
    Mistake{.key = "renews_a_given_lease",
            .seen = renews_a_given_lease,
            .sentence = "Your lock renews a lease whose length its caller gave: the scenario waits "
                        "for its end, and shows nothing.",
            .look_at = "a lease that was asked for ends; renewal is exercise 5"},
    Mistake{.key = "lease_before_the_key",
            .until = '5',
            .seen = lease_before_the_key,
            .sentence = "Your acquire sets the lease before the key: a key that is not there has "
                        "no lease, and gets none.",
            .look_at = "the order of the two commands",
            .rather_than = {"no_lease", "contender_extends"},
            .although_it_holds = true},
    Mistake{.key = "released_whatever_was_said",
            .seen = released_whatever_was_said,
            .sentence = "Your release said \"released\" although nothing was removed: it does not "
                        "look at the answer.",
            .look_at = "what the server answers when it removed the key, and when it did not"},
};

}  // namespace

std::span<const Mistake> mistakes_with_leases() {
  return leases_rows;
}

}  // namespace learning
