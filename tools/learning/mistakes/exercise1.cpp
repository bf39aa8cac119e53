// Mistakes with asking for the lock, and with what the answer says.
#include <algorithm>
#include <array>
#include <iterator>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

using faults::never;

// The last command of `call` that is about the lock itself: neither a look nor a lease.
const Sent* deciding(const TraceQuery& query, const Operation& call) {
  return query.commands_of(call)
      .where([](const Sent& sent) {
        const auto name = sent.name();
        return name.starts_with("SET") || name == "GETSET" || sent.is_script();
      })
      .last();
}

// SET as it overwrites what is there; not with the same word again.
bool overwrites(const Sent& sent) {
  if (sent.answers_what_was_there() && sent.reply == sent.token()) return false;
  const bool sets = sent.name() == "SET" && !sent.has_option("NX") && !sent.has_option("XX");
  return sets || sent.name() == "GETSET" || sent.name() == "PSETEX" || sent.name() == "SETEX";
}

// It wrote over a value of which its client had read that its time was over; and by the answer the
// client sees that no other did so first. (Where another did, it takes that for a no.)
bool takes_over_what_it_saw(const TraceQuery& query, const Sent& sent) {
  const auto* call = query.call_of(sent);
  if (!sent.answers_what_was_there() || call == nullptr) return false;
  const auto looks = query.commands_of(*call).before(sent.place).that_look();
  if (!looks.any()) return false;
  return call->outcome != "acquired" || sent.heard >= call->answered ||
         looks.last()->reply == sent.reply;
}

bool is_about_the_lock(const Sent& sent) {
  return sent.is_about(faults::lock_key);
}

// An acquire says yes, and no server ever had the key that it was asked for.
Seen another_key(const TraceQuery& query) {
  const auto all = query.acquires().acquired().commands().where(
      [](const Sent& sent) { return sent.may_use_keys(); });
  const bool is_there = !query.trace().holds.empty() || all.where(is_about_the_lock).any();
  return is_there ? Seen{} : all.seen();
}

// An acquire that says yes removes the key, and a release that says so puts it there.
Seen there_while_free(const TraceQuery& query) {
  const auto removes = query.acquires().acquired().where([&](const Operation& call) {
    return query.commands_of(call).that_did("del").any() &&
           query.trace().hold_at(call.answered) == nullptr;
  });
  const auto puts = query.releases().answered("released").where([&](const Operation& call) {
    return query.commands_of(call).that_wrote().any() &&
           query.trace().hold_at(call.answered) != nullptr;
  });
  return removes.any() && puts.any() ? removes.seen() : Seen{};
}

Seen never_asks(const TraceQuery& query) {
  return query.acquires().outermost().acquired().that_sent_nothing().seen();
}

Seen answer_ignored(const TraceQuery& query) {
  return query.acquires()
      .on_one_server()
      .acquired()
      .where([&](const Operation& call) {
        const auto* sent = deciding(query, call);
        if (sent == nullptr || sent->heard >= call.answered) return false;
        const bool wrote = query.commands_of(call).that_wrote().any();
        // A script that took the key has words of its own for a yes.
        const bool took_it = sent->is_script() && sent->wrote();
        const bool said_no = sent->said_no() && !took_it && !overwrites(*sent) &&
                             !takes_over_what_it_saw(query, *sent);
        return said_no || (!wrote && query.depth_before(call) == 0 && sent->is_script());
      })
      .seen();
}

Seen check_then_set(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .commands()
      .where([&](const Sent& sent) {
        const auto* call = query.call_of(sent);
        const auto before = query.commands_of(*call).before(sent.place);
        return overwrites(sent) && before.that_look().any() && !before.named("WATCH").any() &&
               !takes_over_what_it_saw(query, sent);
      })
      .seen();
}

Seen overwrites_another(const TraceQuery& query) {
  return query.acquires()
      .commands()
      .where(overwrites)
      .on_anothers()
      .that_wrote()
      .where([&](const Sent& sent) { return !takes_over_what_it_saw(query, sent); })
      .seen();
}

Seen acquire_deletes(const TraceQuery& query) {
  // On several servers one of them may be another's; a whole majority is not by chance.
  const auto deletes = query.acquires().commands().on_anothers().that_did("del");
  if (deletes.count() >= query.trace().majority()) return deletes.seen();
  // Also one that finds nothing this time, before anything else was asked.
  return query.acquires()
      .commands()
      .named("DEL")
      .where([&](const Sent& sent) {
        return query.commands_of(*query.call_of(sent)).first() == &sent;
      })
      .seen();
}

Seen yes_taken_for_no(const TraceQuery& query) {
  return query.preparations("acquire")
      .on_one_server()
      .contended()
      .commands()
      .answered_yes()
      .that_wrote()
      .where([&](const Sent& sent) {
        const auto* call = query.call_of(sent);
        return sent.heard < call->answered &&
               !query.commands_of(*call).after(sent.place).that_did("del").any() &&
               !overwrites(sent);
      })
      .seen();
}

Seen silence_taken_for_no(const TraceQuery& query) {
  return query.acquires()
      .on_one_server()
      .where([&](const Operation& call) {
        if (call.outcome != "contended" && call.outcome != "unknown") return false;
        const auto lost = query.commands_of(call).unheard().that_wrote();
        if (!lost.any()) return false;
        const auto later = query.commands_of(call).after(lost.first()->place);
        const bool asks_again =
            later.answered_no()
                .where([](const Sent& sent) { return sent.name().starts_with("SET"); })
                .any();
        return call.outcome == "contended" || asks_again;
      })
      .seen();
}

// A release said "released", and the lock is still there, its own.
Seen key_stays(const TraceQuery& query) {
  for (const auto* call : query.releases().on_one_server().of_holders().answered("released")) {
    const auto* hold = query.trace().hold_at(call->called);
    if (hold->to <= call->answered || query.depth_before(*call) > 1) continue;
    return {.call = call, .command = query.commands_of(*call).last()};
  }
  return {};
}

// Of the same client, on the same thread, answered during `hold` and before `place`.
CallList during(const CallList& calls, const faults::ServerHold& hold, const Operation& release) {
  return calls.where([&](const Operation& call) {
    return call.client == release.client &&
           call.asked.value("thread", 1) == release.asked.value("thread", 1) &&
           hold.from < call.answered && call.answered < release.called;
  });
}

// A hold was taken several times, and given back before it was as often.
Seen inner_level_frees(const TraceQuery& query) {
  return query.releases()
      .on_one_server()
      .of_holders()
      .where([&](const Operation& call) {
        const auto& hold = *query.trace().hold_at(call.called);
        const auto taken = during(query.acquires().acquired(), hold, call);
        const auto left = during(query.releases(), hold, call).where([](const Operation& earlier) {
          return earlier.outcome != "unknown";
        });
        const auto levels = std::distance(taken.begin(), taken.end());
        return levels - std::distance(left.begin(), left.end()) > 1 && hold.end == "del" &&
               call.open_at(hold.to);
      })
      .seen();
}

const std::array acquiring_rows{
    Mistake{.key = "never_asks",
            .seen = never_asks,
            .sentence = "Your acquire said \"acquired\" without asking the server: no command set "
                        "the key, so nobody else can see that it is taken.",
            .look_at = "send the command that takes the key, and look at its answer"},
    Mistake{.key = "another_key",
            .seen = another_key,
            .sentence = "Your lock is not kept under the key that it was made for: this check "
                        "looks there, and can say nothing of it.",
            .look_at = "the key that the lock is handed, as it is"},
    Mistake{.key = "there_while_free",
            .seen = there_while_free,
            .sentence = "Your lock's key is there while the lock is free: this check takes a key "
                        "that is there for a held lock.",
            .look_at = "a key that is there while the lock is held, and gone while it is free",
            .rather_than = {"answer_ignored", "key_stays"}},
    Mistake{.key = "answer_ignored",
            .until = '6',
            .seen = answer_ignored,
            .sentence = "Your acquire said \"acquired\" although the server had said no.",
            .look_at = "compare the answer with what the command answers when it took the key"},
    Mistake{.key = "check_then_set",
            .until = '5',
            .seen = check_then_set,
            .sentence = "Your acquire looks first and sets afterwards: two clients can look at the "
                        "same moment, and both set.",
            .look_at = "take the key and see whether it was free in one command: SETNX, SET NX",
            .rather_than = {"overwrites_another"},
            .although_it_holds = true},
    Mistake{.key = "overwrites_another",
            .until = '5',
            .seen = overwrites_another,
            .sentence = "Your acquire wrote over a key that another client had: it sets the key "
                        "whether it is there or not.",
            .look_at = "set the key only if it is not there: SETNX, or SET with NX",
            .although_it_holds = true},
    Mistake{.key = "acquire_deletes",
            .seen = acquire_deletes,
            .sentence = "Your acquire deletes the key without knowing whose it is: it can be "
                        "another client's lock by then.",
            .look_at = "an acquire may only remove what carries its own token"},
    Mistake{.key = "inner_level_frees",
            .until = '5',
            .seen = inner_level_frees,
            .sentence = "Your lock let its holder in twice, and the first release removed it: the "
                        "holder continues without a lock.",
            .look_at = "count how often it was taken; or say \"contended\" to its holder as well",
            .although_it_holds = true},
    Mistake{
        .key = "yes_taken_for_no",
        .until = '6',
        .seen = yes_taken_for_no,
        .sentence = "Your acquire took the lock and said \"contended\": the server had said "
                    "yes, and nobody will give the lock back.",
        .look_at = "which answer means that the key was set: 1, OK, or what your script returns"},
    Mistake{.key = "silence_taken_for_no",
            .until = '6',
            .seen = silence_taken_for_no,
            .sentence = "Your acquire got no answer, and took that for a no: the server may have "
                        "set the key for it all the same.",
            .look_at = "a lost reply is \"unknown\"; asking again meets one's own "
                       "key"},
    Mistake{.key = "key_stays",
            .seen = key_stays,
            .sentence = "Your release said \"released\", and the key is still there.",
            .look_at = "DEL removes a key, and answers how many it removed; which key did it get?",
            .rather_than = {"released_whatever_was_said", "renews_after_release"}},
};

}  // namespace

std::span<const Mistake> mistakes_with_acquiring() {
  return acquiring_rows;
}

}  // namespace learning
