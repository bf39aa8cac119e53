// Mistakes with the release as one step.
#include <array>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

Seen compare_then_del(const TraceQuery& query) {
  return query.releases()
      .commands()
      .that_did("del")
      .on_anothers()
      .where([&](const Sent& sent) {
        // Any command before it that was answered and changed nothing.
        return query.commands_of(*query.call_of(sent))
            .before(sent.place)
            .where([&](const Sent& asked) {
              return asked.effects.empty() && asked.heard < sent.place && !asked.was_refused() &&
                     asked.key() == sent.key();
            })
            .any();
      })
      .seen();
}

Seen script_without_compare(const TraceQuery& query) {
  return query.releases().commands().scripts().on_anothers().that_did("del").seen();
}

// A DEL after a look, in the same call.
Seen two_steps(const TraceQuery& query, const CallList& calls) {
  return calls.commands()
      .named("DEL")
      .where([&](const Sent& sent) {
        const auto before = query.commands_of(*query.call_of(sent)).before(sent.place);
        return before.that_look().any() && !before.named("MULTI").any();
      })
      .seen();
}

Seen takes_back_in_two_steps(const TraceQuery& query) {
  return two_steps(query, query.acquires().unknown());
}

Seen releases_in_two_steps(const TraceQuery& query) {
  return two_steps(query, query.releases());
}

const std::array scripts_rows{
    Mistake{.key = "compare_then_del",
            .seen = compare_then_del,
            .sentence = "Your release compares in one command and deletes in another: in between "
                        "the lock became another client's.",
            .look_at = "one script that compares and deletes: release.lua",
            .rather_than = {"script_without_compare", "releases_in_two_steps"},
            .look_at_in_python = "one script that compares and deletes, sent with EVAL"},
    Mistake{.key = "script_without_compare",
            .seen = script_without_compare,
            .sentence = "Your release script removed another client's lock: it does not compare "
                        "the whole token before it deletes.",
            .look_at = "if redis.call('GET', KEYS[1]) == ARGV[1], and only then DEL"},
    Mistake{.key = "releases_in_two_steps",
            .seen = releases_in_two_steps,
            .sentence = "Your release compares in one command and deletes in another, if only when "
                        "it is asked again: in between the lock can become another's.",
            .look_at = "the script that releases, also after a lost reply",
            .although_it_holds = true},
    Mistake{.key = "takes_back_in_two_steps",
            .seen = takes_back_in_two_steps,
            .sentence = "After a lost reply your acquire compares in one command and deletes in "
                        "another: in between the lock can become another's.",
            .look_at = "take back with the release script",
            .although_it_holds = true},
};

}  // namespace

std::span<const Mistake> mistakes_with_scripts() {
  return scripts_rows;
}

}  // namespace learning
