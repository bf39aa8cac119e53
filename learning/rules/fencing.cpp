// Rules about fencing tokens.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learning/evidence/fencing_tokens.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

bool has_tokens(const Evidence& evidence) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(),
                     [](const Call& call) { return token_of(call).has_value(); });
}

// Is `token` one of the counts, and less than the greatest of any majority of them?
bool is_too_low(const Evidence& evidence, const std::map<std::string, long long>& counted,
                long long token) {
  std::vector<long long> counters;
  for (const auto& [server, counter] : counted) counters.push_back(counter);
  std::sort(counters.begin(), counters.end());
  const bool is_one = std::find(counters.begin(), counters.end(), token) != counters.end();
  return is_one && counters.size() >= evidence.trace.majority() &&
         token < counters[evidence.trace.majority() - 1];
}

// Was a client stopped, or a clock set? A lock on several servers withstands all else.
bool somebody_stood_still(const Evidence& evidence) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [](const auto& event) {
    const auto what = event.text("what");
    return event.kind == faults::Kind::stood_still ||
           (event.kind == faults::Kind::fault &&
            (what == faults::fault::frozen || what == faults::fault::stepped));
  });
}

// A server that would not store a token in a second round.
struct Refused {
  const Sent* command = nullptr;
  long long count = 0;  // that it had counted for the same hold in the first round
  long long token = 0;  // that it was asked to store
};

// In the second round of an acquire, did the servers refuse where `is_such`, and no others?
template <typename IsSuch>
std::optional<Refused> refused_where(const Evidence& evidence, IsSuch is_such) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    std::map<std::string, long long> counted;  // at each server, in the first round
    long long token = 0;
    std::optional<Refused> refused;
    bool no_others = true;
    for (const auto* command : evidence.of(call)) {
      if (const auto counter = counter_in(*command)) {
        counted[command->server] = *counter;
        token = std::max(token, *counter);
        continue;
      }
      const auto arguments = command->arguments();
      const auto found = counted.find(command->server);
      const bool raises =
          std::find(arguments.begin(), arguments.end(), std::to_string(token)) != arguments.end();
      if (!raises || found == counted.end()) continue;
      const bool such = is_such(found->second, token);
      no_others = no_others && (such ? command->said_no() : command->said_yes());
      if (such) refused = Refused{.command = command, .count = found->second, .token = token};
    }
    if (refused && no_others) return refused;
  }
  return std::nullopt;
}

}  // namespace

Says no_fencing_token(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  if (has_tokens(evidence) || evidence.acquired().empty()) return std::nullopt;
  if (!somebody_stood_still(evidence)) return std::nullopt;
  return "your lock hands out no fencing token: a holder that was stopped past its lease writes "
         "all the same, and the store has nothing to tell that late write by";
}

Says token_without_a_hold(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "release" || !call.answer.contains("fencing_token")) continue;
    return fmt::format(
        "your fencing_token() answers without a hold: {}'s release at {} ms left it with none, and "
        "after that it was told the token {}; who has no hold has no token, so return nothing",
        call.client, evidence.ms(call.called), call.answer.at("fencing_token").dump());
  }
  return std::nullopt;
}

Says fencing_is_random(const Evidence& evidence) {
  constexpr long long more_than_anybody_counts = 1'000'000;
  for (const auto& call : evidence.calls()) {
    const auto token = token_of(call);
    if (!token || *token < more_than_anybody_counts) continue;
    return fmt::format(
        "your fencing token is no counter: {} got {}; the store lets the greater one win, so every "
        "hold needs one greater than all before it, and chance or a clock gives no such order",
        call.client, *token);
  }
  return std::nullopt;
}

Says token_of_no_server(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    // The hold that is entered once more has its token already.
    if (depth_at(evidence, call->client, call->called) > 0) continue;
    const auto token = token_of(*call);
    bool told = false;  // by a command that answers nothing else; a 0 tells no token
    std::vector<long long> counters;
    for (const auto* command : evidence.of(*call)) {
      if (const auto counter = counter_in(*command)) counters.push_back(*counter);
      told = told || (token > 0 && command->number() == token && !counter_in(*command));
    }
    const bool known = told || std::find(counters.begin(), counters.end(), token) != counters.end();
    if (!token || counters.size() < evidence.trace.majority() || known) continue;
    if (is_stored(evidence, *call, *token)) continue;
    if (*token == 0) {
      return fmt::format(
          "your fencing token reads as 0: the servers answered {}, and {} got 0; what HGET and GET "
          "give a script is text, and integer() reads a text as 0, so the script has to make it a "
          "number (tonumber); or nothing ever took the token from the answers; or those of a "
          "second "
          "round took their place",
          fmt::join(counters, ", "), call->client);
    }
    const auto commands = evidence.of(*call);
    const bool is_lease = std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
      return counter_in(*command) && command->number() == token;
    });
    if (is_lease) {
      return fmt::format(
          "your fencing token is the lease: {} got {}, the first of the two numbers that the "
          "servers answered; the counter is the second ({})",
          call->client, *token, fmt::join(counters, ", "));
    }
    return fmt::format(
        "your fencing token comes from no server: {} got {}, and the servers answered {}; a count "
        "or a clock of one process knows nothing of the others', so the greatest of the servers' "
        "counters is the token",
        call->client, *token, fmt::join(counters, ", "));
  }
  return std::nullopt;
}

Says token_is_not_the_greatest(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool begins = call.name == "acquire" && call.key == lock_key &&
                        !call.asked.contains("join") &&
                        depth_at(evidence, call.client, call.called) <= 0;
    if (!begins) continue;
    std::map<std::string, long long> counted;  // at each server, as it has answered last
    std::optional<long long> token;            // what the lock goes on with
    for (const auto* command : evidence.of(call)) {
      const auto counter = counter_in(*command);
      if (counter) counted[command->server] = *counter;
      if (counter || !counted.contains(command->server) || !command->said_no()) continue;
      // A second round, refused where that number is past.
      const auto words = command->arguments();
      const bool names_one = !words.empty() && is_number(words.back()) && words.back().size() < 10;
      const auto named = names_one ? std::stoll(words.back()) : 0;
      if (named < counted[command->server] && is_too_low(evidence, counted, named)) token = named;
    }
    const auto given = token_of(call);
    if (!token && given && is_too_low(evidence, counted, *given)) token = given;
    if (!token) continue;
    std::vector<long long> counters;
    for (const auto& [server, counter] : counted) counters.push_back(counter);
    return fmt::format(
        "your fencing token is not the greatest count: {} heard {} from the servers, and went on "
        "with {}; the greatest may be an earlier hold's, so that is the token, and who has counted "
        "less is raised to it",
        call.client, fmt::join(counters, ", "), *token);
  }
  return std::nullopt;
}

Says token_of_too_few_nodes(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    auto token = token_of(call);
    std::vector<long long> counters;
    std::size_t rounds = 0;  // questions to the server that got most
    std::map<std::string, std::size_t> asked;
    for (const auto* command : evidence.of(call)) {
      rounds = std::max(rounds, ++asked[command->server]);
      if (const auto counter = counter_in(*command)) counters.push_back(*counter);
    }
    if (counters.size() < evidence.trace.majority() || rounds > 1) continue;
    // Who never came to a second round has not gone without, if all went well.
    if (!token && evidence.judgement.verdict == faults::Verdict::holds) continue;
    if (depth_at(evidence, call.client, call.called) > 0 || call.asked.contains("join")) continue;
    if (!token) token = *std::max_element(counters.begin(), counters.end());
    const auto knowing = std::count(counters.begin(), counters.end(), *token);
    if (knowing >= static_cast<std::ptrdiff_t>(evidence.trace.majority())) continue;
    if (*token == 0) continue;
    return fmt::format(
        "your fencing token is that of too few servers: the greatest that {} heard of is {}, and "
        "{} of {} know it; a majority without them gives it once more, so a second round has to "
        "raise it at a majority",
        call.client, *token, knowing, evidence.trace.nodes());
  }
  return std::nullopt;
}

Says counters_compared_as_text(const Evidence& evidence) {
  const auto refused = refused_where(evidence, [](long long count, long long token) {
    return count < token && std::to_string(count) > std::to_string(token);
  });
  if (!refused) return std::nullopt;
  return fmt::format(
      "your second round compares counters as texts: {} had counted {} for {} and refused to "
      "raise that to {}, since as a text {} is the greater one; in Lua what GET answers and what "
      "ARGV has are texts, so both sides need tonumber()",
      refused->command->server, refused->count, refused->command->client, refused->token,
      refused->count);
}

Says raise_refuses_its_own_count(const Evidence& evidence) {
  const auto refused =
      refused_where(evidence, [](long long count, long long token) { return count == token; });
  if (!refused) return std::nullopt;
  const auto* hold = evidence.held_at(refused->command->server, refused->command->place);
  if (hold == nullptr || hold->owner != refused->command->client) return std::nullopt;
  return fmt::format(
      "your second round refuses what is so already: {0} had counted {1} for {2}, was asked to "
      "store {1}, and answered {3}, as if it were past that; where the count is the token it is "
      "stored, and only a greater one is past it",
      refused->command->server, refused->count, refused->command->client, refused->command->reply);
}

Says past_taken_for_stored(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion)) return std::nullopt;
  const auto [earlier, later] = not_greater(evidence);
  if (earlier == nullptr || token_of(*earlier) != token_of(*later)) return std::nullopt;
  const auto token = *token_of(*later);
  const auto commands = evidence.of(*later);
  for (const auto* command : commands) {
    const auto counter = counter_in(*command);
    if (!counter || *counter <= token) continue;
    const bool taken =
        std::any_of(commands.begin(), commands.end(), [command](const Sent* raising) {
          return raising->server == command->server && raising->place > command->place &&
                 raising->said_yes();
        });
    if (!taken) continue;
    return fmt::format(
        "your second round took a server for one that has stored the token, and it had counted "
        "past it: {} and {} both have token {}, and {} had counted {} to {}; where the count is "
        "past the token another hold may have had it, so that server has to refuse",
        earlier->client, later->client, token, command->server, later->client, *counter);
  }
  return std::nullopt;
}

Says raised_without_the_hold(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion)) return std::nullopt;
  const auto [earlier, later] = not_greater(evidence);
  if (earlier == nullptr || token_of(*earlier) != token_of(*later)) return std::nullopt;
  // Who asked first was answered last: in between it raised its token, at a server it had lost.
  if (earlier->called < later->called) return std::nullopt;
  return fmt::format(
      "your second round raised the token at a server where the hold was not any more: {} and {} "
      "both have token {}; a counter may only be raised where the key still has this hold's token",
      earlier->client, later->client, *token_of(*later));
}

Says token_lost_on_reentry(const Evidence& evidence) {
  const auto acquired = evidence.acquired();
  for (std::size_t i = 1; i < acquired.size(); ++i) {
    const auto& outer = *acquired[i - 1];
    const auto& inner = *acquired[i];
    if (outer.client != inner.client || is_over(evidence, outer, inner) || !token_of(outer))
      continue;
    if (token_of(outer) == token_of(inner)) continue;
    const auto token = token_of(inner);
    return fmt::format(
        "your fencing token changes when the lock is taken once more: {} had {} and {}; re-entry "
        "is the same hold, so it keeps its token",
        inner.client, *token_of(outer),
        token ? fmt::format("got {} inside", *token) : std::string("none inside"));
  }
  return std::nullopt;
}

Says answer_has_no_token(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    if (token_of(*call) != 0) continue;
    std::map<std::string, const Sent*> alone;  // by server: a yes that is one number
    for (const auto* command : evidence.of(*call)) {
      const bool is_its = command->key() == lock_key && command->wrote();
      if (is_its && is_number(command->reply)) alone.emplace(command->server, command);
      if (counter_in(*command)) return std::nullopt;
    }
    if (alone.size() < evidence.trace.majority()) continue;
    const auto& [server, command] = *alone.begin();
    return fmt::format(
        "your acquire's answer has no token in it: {} answered {} {}, one number, which is the "
        "lease, and a second one that is not there reads as 0, so {} got 0; the script has to "
        "return both, {{lease, fencing token}}",
        server, call->client, command->reply, call->client);
  }
  return std::nullopt;
}

Says token_given_twice(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  std::map<long long, const Call*> given;
  for (const auto* call : evidence.acquired()) {
    const auto number = token_of(*call);
    if (!number || depth_at(evidence, call->client, call->called) > 0) continue;
    const auto [first, is_new] = given.emplace(*number, call);
    if (is_new) continue;
    if (*number == 1) return std::nullopt;  // a counter that starts again
    return fmt::format(
        "your lock gave the fencing token {} twice: to {} at {} ms and to {} at {} ms, so the "
        "store cannot tell who is the later one; before a token is used a majority has to have "
        "stored that very number, so that the next majority counts on from there",
        *number, first->second->client, evidence.ms(first->second->answered), call->client,
        evidence.ms(call->answered));
  }
  return std::nullopt;
}

}  // namespace learning::rules
