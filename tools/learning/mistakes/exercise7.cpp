// Mistakes with a majority of servers.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

using faults::never;

// The first command of `call` to each server, in the order of sending.
std::vector<const Sent*> first_to_each(const TraceQuery& query, const Operation& call) {
  std::set<std::string> seen;
  std::vector<const Sent*> first;
  for (const auto* command : query.commands_of(call)) {
    if (seen.insert(command->server).second) first.push_back(command);
  }
  return first;
}

std::size_t yes_of_first_round(const TraceQuery& query, const Operation& call) {
  const auto first = first_to_each(query, call);
  return static_cast<std::size_t>(std::count_if(first.begin(), first.end(), [&](const Sent* sent) {
    return sent->said_yes() && sent->heard < call.answered;
  }));
}

Seen majority_too_small(const TraceQuery& query) {
  return query.acquires()
      .on_several_servers()
      .acquired()
      .where([&](const Operation& call) {
        return query.commands_of(call).any() && query.votes_for(call) < query.trace().majority() &&
               yes_of_first_round(query, call) < query.trace().majority();
      })
      .seen();
}

Seen majority_not_enough(const TraceQuery& query) {
  return query.acquires()
      .on_several_servers()
      .where([&](const Operation& call) {
        const bool refused = call.outcome == "contended" || call.outcome == "unknown";
        if (!refused) return false;
        const auto took = query.trace().ms(call.answered) - query.trace().ms(call.called);
        if (took > query.lease_of(call) / 2) return false;
        // Every try in one call goes to each server; the first one is looked at.
        const auto yes = yes_of_first_round(query, call);
        const auto tries = query.commands_of(call).count();
        return yes >= query.trace().majority() && tries <= 2 * query.trace().nodes() &&
               !query.had_fault(faults::fault::held) && !query.had_fault(faults::fault::delayed) &&
               !query.had_fault(faults::fault::reset);
      })
      .seen();
}

// A server refused a client because of a vote that the same client had got there before.
Seen votes_not_given_back(const TraceQuery& query) {
  return query.acquires()
      .on_several_servers()
      .outermost()
      .commands()
      .answered_no()
      .where([&](const Sent& sent) {
        const auto* hold = query.trace().hold_on(sent.server, sent.answered);
        const auto outcome = query.call_of(sent)->outcome;
        return hold != nullptr && hold->owner == sent.client && outcome != "acquired" &&
               query.trace().ms(sent.place) - query.trace().ms(hold->from) > 100;
      })
      .seen();
}

Seen forgets_and_votes(const TraceQuery& query) {
  for (const auto& event : query.trace().record) {
    if (event.kind != faults::Kind::fault || event.text("what") != faults::fault::restarted)
      continue;
    if (!event.text("how").starts_with("empty")) continue;
    const auto votes = query.acquires()
                           .acquired()
                           .commands()
                           .after(event.number)
                           .that_wrote()
                           .answered_yes()
                           .where([&](const Sent& sent) { return sent.server == event.process; });
    if (votes.any()) return votes.seen();
  }
  return {};
}

const std::array majorities_rows{
    Mistake{.key = "majority_too_small",
            .seen = majority_too_small,
            .sentence = "Your acquire said \"acquired\" with less than a majority of the servers: "
                        "another client can get the rest.",
            .look_at = "quorum_.nodes().majority(), and which answers are a yes",
            .rather_than = {"let_in_while_held", "token_not_greater"}},
    Mistake{.key = "majority_not_enough",
            .seen = majority_not_enough,
            .sentence = "A majority of the servers said yes, and your acquire did not take that "
                        "for enough.",
            .look_at = "quorum_.nodes().majority(), also where there are not five servers"},
    Mistake{.key = "votes_not_given_back",
            .seen = votes_not_given_back,
            .sentence = "Your acquire was refused and kept the votes that it had got: they stand "
                        "in the way of everybody, and of its own next try.",
            .look_at = "give back at every server, also where no answer came"},
    Mistake{.key = "forgets_and_votes",
            .seen = forgets_and_votes,
            .sentence = "A server that had lost its data voted, within the lease that it had voted "
                        "for before.",
            .look_at = "without its marker a server has to abstain"},
};

}  // namespace

std::span<const Mistake> mistakes_with_majorities() {
  return majorities_rows;
}

}  // namespace learning
