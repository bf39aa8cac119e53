// Mistakes with asking for the lock, and with what the answer says.
#include <algorithm>
#include <array>

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
        const bool said_no =
            sent->said_no() && !overwrites(*sent) && !takes_over_what_it_saw(query, *sent);
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

const std::array acquiring_rows{
    Mistake{.key = "never_asks",
            .seen = never_asks,
            .sentence = "Your acquire said \"acquired\" without asking the server: no command set "
                        "the key, so nobody else can see that it is taken.",
            .look_at = "send the command that takes the key, and look at its answer"},
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
