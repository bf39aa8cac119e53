// Mistakes with renewal, and with telling a holder that its lock is lost.
#include <algorithm>
#include <array>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

using faults::Kind;
using faults::never;
using faults::Property;
using faults::ServerHold;

// The first hold that ran out while its owner was at work.
const ServerHold* ran_out_at_work(const TraceQuery& query) {
  for (const auto& hold : query.trace().holds) {
    if (hold.end != "expired" || hold.owner.empty()) continue;
    if (query.trace().is_doing(hold.owner, "work", hold.to)) return &hold;
  }
  return nullptr;
}

CommandList renewals_of(const TraceQuery& query, const ServerHold& hold) {
  return query.renewals().after(hold.from).before(hold.to).where(
      [&](const Sent& sent) { return sent.client == hold.owner; });
}

Seen never_renews(const TraceQuery& query) {
  const auto* hold = ran_out_at_work(query);
  if (query.on_several_servers() || hold == nullptr || renewals_of(query, *hold).any()) return {};
  const auto* call = query.acquire_before(hold->owner, hold->to);
  if (call == nullptr || call->asked.contains("lease_ms")) return {};
  return {.call = call};
}

// A hold ran out at work that was renewed until its owner tried to take it again.
Seen second_try_ends_renewal(const TraceQuery& query) {
  const auto* hold = ran_out_at_work(query);
  if (hold == nullptr) return {};
  const auto renewals = renewals_of(query, *hold);
  return query.acquires()
      .contended()
      .where([&](const Operation& call) {
        return call.client == hold->owner && hold->from < call.called && call.called < hold->to &&
               renewals.before(call.called).any() && !renewals.after(call.answered).any();
      })
      .seen();
}

Seen renewal_sets_no_lease(const TraceQuery& query) {
  const auto* hold = ran_out_at_work(query);
  if (hold == nullptr) return {};
  const auto sent =
      renewals_of(query, *hold).where([](const Sent& renewal) { return renewal.heard != never; });
  return sent.any() && !sent.that_did("expire").any() ? sent.seen() : Seen{};
}

// Long after the last renewal, the lock was still there.
Seen renewal_lasts_too_long(const TraceQuery& query) {
  for (const auto& hold : query.trace().holds) {
    const auto sent = renewals_of(query, hold).that_did("expire");
    const auto* call = sent.any() ? query.acquire_before(hold.owner, sent.last()->place) : nullptr;
    if (call == nullptr) continue;
    const auto end = std::min(hold.to, query.trace().record.size() - 1);
    const auto lasted = query.trace().ms(end) - query.trace().ms(sent.last()->place);
    if (lasted > 3 * query.lease_of(*call) / 2) return {.call = call, .command = sent.last()};
  }
  return {};
}

Seen renews_anothers(const TraceQuery& query) {
  return query.renewals()
      .on_anothers()
      .that_did("expire")
      .where([](const Sent& sent) { return !sent.wrote(); })
      .seen();
}

Seen checks_then_renews(const TraceQuery& query) {
  return query.renewals()
      .on_anothers()
      .that_did("expire")
      .where([&](const Sent& sent) {
        const auto before = query.commands().before(sent.place).that_look();
        return !sent.is_script() && before
                                        .where([&](const Sent& other) {
                                          return other.client == sent.client && !other.operation;
                                        })
                                        .any();
      })
      .seen();
}

Seen renewal_writes_the_key(const TraceQuery& query) {
  return query.renewals()
      .where([](const Sent& sent) { return sent.did("set") || sent.did("hset"); })
      .where([&](const Sent& sent) {
        const auto* hold = query.trace().hold_on(sent.server, sent.place);
        return query.is_on_anothers(sent) || hold == nullptr;
      })
      .seen();
}

// Is it the script or the command by which the lock is given back?
bool is_of_releases(const TraceQuery& query, const Sent& sent) {
  return query.preparations("release")
      .commands()
      .where([&](const Sent& other) {
        return other.name() == sent.name() && other.script() == sent.script();
      })
      .any();
}

// The commands that a client sends while it works, and nobody has asked for a release.
Seen renewal_deletes(const TraceQuery& query) {
  return query.commands()
      .that_did("del")
      .where([&](const Sent& sent) {
        return !sent.operation && sent.key() == faults::lock_key &&
               query.trace().is_doing(sent.client, "work", sent.place) &&
               query.trace().is_doing(sent.client, "work", sent.answered) &&
               !query.had_fault(faults::fault::terminated) && !is_of_releases(query, sent);
      })
      .seen();
}

// A renewal was answered yes, and there was no such lock, or it was another's: when it was sent as
// well, for a release that came behind it may have ended the hold before its answer was seen.
Seen renewal_says_yes(const TraceQuery& query) {
  const auto is_not_its_own = [&](const Sent& sent, std::size_t at) {
    const auto* hold = query.trace().hold_on(sent.server, at);
    return hold == nullptr || !hold->may_be_of(sent.client);
  };
  return query.renewals()
      .answered_yes()
      .where([&](const Sent& sent) {
        return !query.on_several_servers() && sent.effects.empty() &&
               is_not_its_own(sent, sent.place) && is_not_its_own(sent, sent.answered);
      })
      .seen();
}

// The hold believes that it lasts longer than the server was asked for.
Seen believes_longer(const TraceQuery& query) {
  return query.preparations("acquire")
      .acquired()
      .outermost()
      .where([&](const Operation& call) {
        const auto remaining = call.answer.value("remaining_ms", 0LL);
        return remaining > query.lease_of(call) * 999 / 1000 && call.key == faults::lock_key;
      })
      .seen();
}

// The commands that a client sends to renew a hold, by its token, whose release has been answered:
// also if it is not known what came of that, since the client may leave it there.
Seen renews_after_release(const TraceQuery& query) {
  return query.renewals()
      .where([&](const Sent& sent) {
        const auto taken =
            query.acquires()
                .where(TraceQuery::of(sent.client))
                .commands()
                .that_wrote()
                .where([&](const Sent& write) { return write.token() == sent.token(); });
        if (!taken.any() || sent.token().empty()) return false;
        return query.releases()
            .where([&](const Operation& call) {
              const bool may_be_over = call.outcome == "released" || call.outcome == "unknown";
              return may_be_over && call.client == sent.client &&
                     call.called > taken.first()->place && call.answered < sent.place;
            })
            .any();
      })
      .seen();
}

// A client that works on, and was not told, after its lease was over.
Seen never_told(const TraceQuery& query) {
  const auto* hold = ran_out_at_work(query);
  if (!query.broke(Property::holder_was_told) || hold == nullptr) return {};
  const bool told =
      std::any_of(query.trace().record.begin(), query.trace().record.end(),
                  [&](const auto& event) { return event.is(Kind::told, hold->owner); });
  if (told) return {};
  return {.call = query.acquire_before(hold->owner, hold->to)};
}

// Did the lease end soon after that, without a renewal? A hold believes that it ends before.
bool is_about_to_expire(const TraceQuery& query, const Operation& acquire, std::size_t place) {
  const auto soon = query.lease_of(acquire) / 4;
  return std::any_of(query.trace().holds.begin(), query.trace().holds.end(), [&](const auto& hold) {
    return hold.owner == acquire.client && hold.exists_at(place) && hold.end == "expired" &&
           query.trace().ms(hold.to) - query.trace().ms(place) < soon;
  });
}

// Told of a loss while the servers still had the hold for it.
Seen told_of_nothing(const TraceQuery& query) {
  for (const auto& event : query.trace().record) {
    if (event.kind != Kind::told || event.text("event") != "lost") continue;
    const auto* call = query.acquire_before(event.process, event.number);
    const bool has_it = query.trace().held_for(event.process, event.number);
    const bool cut = query.had_fault(faults::fault::cut_off) || query.had_fault("blackholed") ||
                     query.had_fault(faults::fault::reset) || query.had_fault("frozen") ||
                     query.had_fault("stepped");
    if (call == nullptr || !has_it || cut) continue;
    if (!is_about_to_expire(query, *call, event.number)) return {.call = call};
  }
  return {};
}

const std::array renewal_rows{
    Mistake{.key = "never_renews",
            .seen = never_renews,
            .sentence = "The work outlived its lease: nothing renewed it.",
            .look_at = "the watchdog has to watch the hold: watch() in acquire",
            .rather_than = {"never_told"}},
    Mistake{.key = "second_try_ends_renewal",
            .seen = second_try_ends_renewal,
            .sentence = "A second try of the holder, which was refused, ended the renewal of the "
                        "lock that it has.",
            .look_at = "change nothing of the hold that is there before the server has said yes",
            .rather_than = {"never_told"}},
    Mistake{.key = "renewal_sets_no_lease",
            .seen = renewal_sets_no_lease,
            .sentence = "Your renewal is sent, and changes nothing: the lease ran out while its "
                        "holder worked.",
            .look_at = "what the script does with the lease, and the order of its arguments"},
    Mistake{.key = "renewal_lasts_too_long",
            .seen = renewal_lasts_too_long,
            .sentence = "Your renewal sets a longer lease than the one that was asked for: the "
                        "lock was there long after its holder's last renewal.",
            .look_at = "which lease the script is given, and in which unit: PEXPIRE counts "
                       "milliseconds, EXPIRE seconds",
            .rather_than = {"told_of_nothing", "never_told"}},
    Mistake{.key = "renews_anothers",
            .seen = renews_anothers,
            .sentence = "Your renewal prolonged another client's lock: it does not compare the "
                        "token.",
            .look_at = "the condition in renew.lua",
            .rather_than = {"renews_after_release"}},
    Mistake{.key = "checks_then_renews",
            .seen = checks_then_renews,
            .sentence = "Your renewal compares in one command and prolongs in another: in between "
                        "the lock became another client's.",
            .look_at = "one script that compares and prolongs: renew.lua",
            .rather_than = {"renews_after_release", "renews_anothers"}},
    Mistake{.key = "renewal_writes_the_key",
            .seen = renewal_writes_the_key,
            .sentence = "Your renewal takes the lock anew instead of prolonging it: it set a key "
                        "that was gone, or another's.",
            .look_at = "a renewal may only prolong what carries its token: PEXPIRE",
            .rather_than = {"renews_anothers", "renews_after_release", "own_lock_left"}},
    Mistake{.key = "renewal_deletes",
            .seen = renewal_deletes,
            .sentence = "Your renewal removed the lock that it was to prolong.",
            .look_at = "which script is run, and the lease it is given: PEXPIRE with 0 deletes",
            .rather_than = {"renewal_sets_no_lease", "never_told"}},
    Mistake{.key = "renews_after_release",
            .seen = renews_after_release,
            .sentence = "Your lock is renewed after it was released: nobody told the watchdog.",
            .look_at = "stop renewing before the release, and forget the hold after it",
            .rather_than = {"released_whatever_was_said", "renewal_deletes"}},
    Mistake{.key = "never_told",
            .seen = never_told,
            .sentence = "The holder was never told that its lock was lost, and worked on.",
            .look_at = "lost() and remaining() have to ask the hold"},
    Mistake{.key = "told_of_nothing",
            .seen = told_of_nothing,
            .sentence = "The holder was told that its lock was lost, and the server had it all the "
                        "time.",
            .look_at = "what renew.lua returns (1: renewed), how long the hold believes its "
                       "lease to be, and from when"},
    Mistake{.key = "believes_longer",
            .seen = believes_longer,
            .sentence = "Your hold believes that it lasts as long as the server was asked for, "
                        "or longer: the server's clock may be faster.",
            .look_at = "the lease that the hold is made with, counted from before the request, "
                       "less a margin (core/lease.h)",
            .rather_than = {"told_of_nothing"},
            .although_it_holds = true},
    Mistake{.key = "renewal_says_yes",
            .seen = renewal_says_yes,
            .sentence = "Your renewal says yes although the lock is gone, or another client's: "
                        "the holder is not told.",
            .look_at = "what renew.lua returns where it renewed nothing: 0",
            .rather_than = {"never_told", "renewal_sets_no_lease"}},
};

}  // namespace

std::span<const Mistake> mistakes_with_renewal() {
  return renewal_rows;
}

}  // namespace learning
