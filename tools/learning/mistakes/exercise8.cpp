// Mistakes with the fencing token.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

// The number that a server's answer to an acquire brings along: its second one.
std::optional<long long> count_in(const Sent& sent) {
  const auto space = sent.reply.find_first_of(" ,");
  if (!sent.number() || *sent.number() <= 0 || space == std::string::npos) return std::nullopt;
  const auto digits = sent.reply.find_first_of("0123456789", space);
  if (digits == std::string::npos) return std::nullopt;
  return std::stoll(sent.reply.substr(digits));
}

// The counts that `call` was answered with, the lowest first, of one majority. Which majority
// decided cannot be seen, and each has one that is as great as the last of these, or greater.
std::vector<long long> lowest_counts_for(const TraceQuery& query, const Operation& call) {
  std::vector<long long> counts;
  for (const auto* sent : query.commands_of(call)) {
    const auto count = count_in(*sent);
    if (count && sent->heard < call.answered) counts.push_back(*count);
  }
  std::sort(counts.begin(), counts.end());
  counts.resize(std::min(counts.size(), query.trace().majority()));
  return counts;
}

Seen no_fencing_token(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .where([](const Operation& call) { return !fencing_token_of(call); })
      .seen();
}

// An earlier hold of which `later` repeats the number, or stays below it.
const Operation* not_above(const TraceQuery& query, const Operation& later) {
  const auto token = fencing_token_of(later);
  if (!token) return nullptr;
  for (const auto* earlier : query.acquires().acquired()) {
    const auto before = fencing_token_of(*earlier);
    const bool is_inner = earlier->client == later.client && query.depth_before(later) > 0;
    const bool joins = later.asked.contains("join");
    if (earlier->answered < later.called && before && !is_inner && !joins && *before >= *token) {
      return earlier;
    }
  }
  return nullptr;
}

Seen token_not_greater(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .where([&](const Operation& call) { return not_above(query, call) != nullptr; })
      .seen();
}

Seen token_not_the_greatest(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .outermost()
      .where([&](const Operation& call) {
        const auto token = fencing_token_of(call);
        const auto counts = lowest_counts_for(query, call);
        return token && !counts.empty() &&
               std::find(counts.begin(), counts.end(), *token) != counts.end() &&
               counts.back() > *token;
      })
      .seen();
}

// How many servers had said, when `call` was answered, that they store its number.
std::size_t stored_by(const TraceQuery& query, const Operation& call) {
  const auto token = fencing_token_of(call).value_or(0);
  std::set<std::string> stored;
  for (const auto* sent : query.commands_of(call)) {
    if (sent->heard >= call.answered) continue;
    const auto words = sent->arguments();
    const bool names_it =
        std::find(words.begin(), words.end(), std::to_string(token)) != words.end();
    if (count_in(*sent) == token || (names_it && sent->said_yes())) stored.insert(sent->server);
  }
  return stored.size();
}

Seen no_taken_for_stored(const TraceQuery& query) {
  return query.acquires()
      .acquired()
      .outermost()
      .commands()
      .scripts()
      .answered_no()
      .where([&](const Sent& sent) {
        const auto token = fencing_token_of(*query.call_of(sent));
        const auto words = sent.arguments();
        return token && words.size() == 2 && words.back() == std::to_string(*token) &&
               stored_by(query, *query.call_of(sent)) < query.trace().majority();
      })
      .seen();
}

// A server said that it stored the number for a hold which was not there.
Seen raised_without_the_hold(const TraceQuery& query) {
  return query.acquires()
      .commands()
      .scripts()
      .answered_yes()
      .where([&](const Sent& sent) {
        const auto words = sent.arguments();
        if (words.size() != 2 || sent.wrote()) return false;
        const auto* hold = query.trace().hold_on(sent.server, sent.answered);
        if (hold == nullptr) return !query.had_fault(faults::fault::restarted);
        return !hold->owner.empty() && !hold->is_of(sent.client);
      })
      .seen();
}

// A round of answers that said yes to a number, and the server had counted past it by then.
Seen past_taken_for_stored(const TraceQuery& query) {
  std::map<std::string, long long> counted;  // by server and key, how far
  Seen found;
  for (const auto* sent : query.commands().scripts()) {
    auto& how_far = counted[sent->server + " " + sent->key()];
    how_far = std::max(how_far, count_in(*sent).value_or(0));
    const auto words = sent->arguments();
    const bool raises = words.size() == 2 && is_number(words.back()) && sent->number() == 1;
    if (raises && how_far > std::stoll(words.back()) && !found) {
      found = {.call = query.call_of(*sent), .command = sent};
    }
  }
  return found;
}

const std::array fencing_rows{
    Mistake{.key = "no_fencing_token",
            .seen = no_fencing_token,
            .sentence = "Your lock gives out no fencing token: the store cannot tell a late write "
                        "from a good one.",
            .look_at = "fencing_token(), and what acquire.lua answers"},
    Mistake{.key = "token_not_greater",
            .seen = token_not_greater,
            .sentence = "A later hold got a fencing token that is not greater than an earlier "
                        "one's.",
            .look_at = "what counts, where it is kept, and whether it outlives the lock"},
    Mistake{.key = "token_not_the_greatest",
            .seen = token_not_the_greatest,
            .sentence = "Your fencing token is not the greatest count among the servers that said "
                        "yes.",
            .look_at = "each server counts for itself: the greatest is the token",
            .rather_than = {"token_not_greater"},
            .although_it_holds = true},
    Mistake{.key = "no_taken_for_stored",
            .seen = no_taken_for_stored,
            .sentence = "The second round was refused, and your acquire gave out the token all the "
                        "same.",
            .look_at = "tally.raised(votes): a majority has to say yes",
            .rather_than = {"past_taken_for_stored", "token_not_greater", "let_in_while_held"},
            .although_it_holds = true},
    Mistake{.key = "raised_without_the_hold",
            .seen = raised_without_the_hold,
            .sentence = "A server stored the fencing token of a hold that it had not: two holds "
                        "can get the same number.",
            .look_at = "raise.lua: only where HGET lock 'token' is the token",
            .rather_than = {"past_taken_for_stored", "no_taken_for_stored",
                            "token_not_the_greatest", "token_not_greater"}},
    Mistake{.key = "past_taken_for_stored",
            .seen = past_taken_for_stored,
            .sentence = "A server that had counted past the token said yes to it: it may be the "
                        "token of two.",
            .look_at = "raise.lua: a count past the token is a no",
            .rather_than = {"token_not_the_greatest", "token_not_greater"}},
};

}  // namespace

std::span<const Mistake> mistakes_with_fencing() {
  return fencing_rows;
}

}  // namespace learning
