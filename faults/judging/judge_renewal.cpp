#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "faults/judging/properties.h"

namespace faults {
namespace {

bool says_lost(const Event& answer) {
  return answer.text("outcome") == "not_mine" || answer.text("outcome") == "not_held";
}

// Did the program of `client` die by itself, with no sign of life after `place`? The history says
// only when it was found dead: it may have died before.
bool may_have_died_before(const Trace& trace, const std::string& client, std::size_t place) {
  bool died = false;
  for (const auto& event : trace.events) {
    if (event.process != client) continue;
    if (event.kind == Kind::misbehaved && event.data.value("died", false)) died = true;
    const bool is_alive = event.kind == Kind::command || event.kind == Kind::told ||
                          event.kind == Kind::storage || event.kind == Kind::answer;
    if (event.number > place && is_alive && event.text("outcome") != "died") return false;
  }
  return died;
}

// Does `client`, running, believe at `place` that it holds the lock?
bool believes(const Trace& trace, const std::string& client, std::size_t place) {
  bool holds = false;
  bool running = true;
  for (const auto& event : trace.events) {
    if (event.number >= place) break;
    if (event.process != client || event.is_of_another_key()) continue;
    const auto what = event.text("what");
    if (event.kind == Kind::answer && event.text("op") == "acquire") {
      holds = holds || event.text("outcome") == "acquired";
    }
    if (event.kind == Kind::call && event.text("op") == "release") holds = false;
    if (event.kind == Kind::answer && event.text("op") == "extend" && says_lost(event)) {
      holds = false;
    }
    if (event.kind == Kind::fault && (what == fault::killed || what == fault::frozen)) {
      running = false;
    }
    if (event.kind == Kind::fault && what == fault::thawed) running = true;
  }
  return holds && running && !may_have_died_before(trace, client, place);
}

// Is an operation of `client` under way at `place`, its work apart?
bool is_busy(const Trace& trace, const std::string& client, std::size_t place) {
  return std::any_of(
      trace.operations.begin(), trace.operations.end(), [&](const Operation& operation) {
        return operation.client == client && operation.name != "work" && operation.open_at(place);
      });
}

// The place of the next call of `client` after `place`, or the end.
std::size_t next_call_of(const Trace& trace, const std::string& client, std::size_t place) {
  for (const auto& event : trace.events) {
    if (event.number > place && event.is(Kind::call, client)) return event.number;
  }
  return trace.record.size();
}

// The kind of a command, its name or its script: the commands of one renewal count apart.
std::string kind_of(const SentCommand& command) {
  if (!command.script.empty()) return command.script;
  return command.is_script() && command.words.size() > 1 ? command.words[1] : command.name();
}

// How often `client` sent the same command, which may be a renewal, between two places to one
// server, at most.
long most_commands_to_one_server(const Trace& trace, const std::string& client, std::size_t from,
                                 std::size_t to) {
  std::map<std::pair<std::string, std::string>, long> sent;  // by server and command
  long most = 0;
  for (const auto& command : trace.sent) {
    if (command.client != client || command.place < from || to <= command.place) continue;
    if (!command.may_use_keys()) continue;
    most = std::max(most, ++sent[{command.server, kind_of(command)}]);
  }
  return most;
}

// How a holder learns of a loss, as the lock declares it: "told", "asked" or "never"; empty: a
// stage.
std::string way_to_learn(const Trace& trace) {
  const auto lock = trace.setting.find("lock");
  return lock == trace.setting.end() ? std::string() : lock->value("loss", std::string());
}

bool is_asked(const Trace& trace) {
  return way_to_learn(trace) == "asked";
}

// A lock that is asked, and does not tell: did `client` write after `place` all the same?
bool is_asked_in_vain(const Trace& trace, const std::string& client, std::size_t place) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&](const Event& event) {
    return event.number > place && event.is(Kind::storage, client) && event.text("what") == "write";
  });
}

// When `client` learned, after `from`, that its lock is lost; never: it did not.
std::size_t told_of_loss(const Trace& trace, const std::string& client, std::size_t from) {
  for (const auto& event : trace.events) {
    const bool told = event.is(Kind::told, client) && event.text("event") == "lost";
    if (event.number >= from && told && !event.is_of_another_key()) return event.number;
  }
  return never;
}

// True if the machine may explain why a client that had the lock from `from` to `to` was notified
// only at `told`. A stall too short to be recorded may have cost that much at most, in a slowed
// world as in any; a longer one cost what was recorded.
bool machine_explains(const Trace& trace, std::size_t from, std::size_t to, std::size_t told) {
  constexpr long long too_short_to_be_noted = 60;  // milliseconds: faults/world/setup.h
  if (told == never) return trace.stood_still();
  long long noted = 0;
  for (const auto& event : trace.events) {
    const bool is_meanwhile = from < event.number && event.number < told;
    if (event.kind == Kind::stood_still && is_meanwhile) noted += event.data.value("for_ms", 0LL);
  }
  return trace.ms(told) - trace.ms(to) <= too_short_to_be_noted + noted;
}

std::string say_when_told(const Trace& trace, std::size_t told) {
  return told == never ? "it was never told"
                       : fmt::format("it was told only at {} ms", trace.ms(told));
}

// For a lock whose key is not known: `other` got in while `client` believed that it held the lock.
std::vector<Finding> told_after(const Trace& trace, const std::string& client,
                                const Operation& other) {
  const auto place = other.answered;
  if (!trace.claims(client, place) || !believes(trace, client, place)) return {};
  std::size_t from = 0;
  for (const auto& operation : trace.operations) {
    const bool is_its = operation.client == client && operation.is("acquire", "acquired");
    if (is_its && operation.answered < place) from = operation.answered;
  }
  const auto told = told_of_loss(trace, client, from);
  const bool is_asked_in_time = is_asked(trace) && !is_asked_in_vain(trace, client, place);
  if (told < place || is_asked_in_time) return {};
  return {
      {.property = Property::holder_was_told,
       .sentence = fmt::format("{} was let in at {} ms, while {} had the lock, and {}",
                               other.client, trace.ms(place), client, say_when_told(trace, told)),
       .may_be_the_machine = machine_explains(trace, from, place, told),
       .evidence = {place}}};
}

std::vector<Finding> judge_told_by_claims(const Trace& trace) {
  std::set<std::string> clients;
  for (const auto& operation : trace.operations) clients.insert(operation.client);
  std::vector<Finding> findings;
  for (const auto& operation : trace.operations) {
    if (!operation.is("acquire", "acquired") || operation.asked.contains("join")) continue;
    clients.erase(operation.client);
    for (const auto& client : clients) {
      auto found = told_after(trace, client, operation);
      std::move(found.begin(), found.end(), std::back_inserter(findings));
    }
    clients.insert(operation.client);
  }
  return findings;
}

}  // namespace

std::vector<Finding> judge_owner_only_renewal(const Trace& trace) {
  std::vector<Finding> findings;
  for (const auto& event : trace.events) {
    if (event.kind != Kind::server || event.text("what") != "expire") continue;
    const auto place = event.number;
    const auto* hold = trace.hold_on(event.process, place);
    if (hold == nullptr || hold->owner.empty() || is_busy(trace, hold->owner, place)) continue;
    if (trace.put_back.contains(place)) continue;
    const auto asking = event.data.contains("by")
                            ? std::vector<std::string>{event.text("by")}
                            : trace.asking(trace.node_of(event.process), place);
    const auto has_it = [&](const std::string& client) { return hold->is_of(client); };
    if (asking.empty() || std::any_of(asking.begin(), asking.end(), has_it)) continue;
    // One that asks for it may give a lease to a lock that was left without one.
    const bool asks = trace.is_doing(asking.front(), "acquire", place);
    if (asks && !trace.had_lease(*hold, place)) continue;
    findings.push_back(
        {.property = Property::owner_only_renewal,
         .sentence = fmt::format("at {} ms {} changed the lease of the lock that {} holds",
                                 trace.ms(place), asking.front(), hold->owner),
         .evidence = {hold->from, place}});
  }
  return findings;
}

std::vector<Finding> judge_holder_was_told(const Trace& trace) {
  if (way_to_learn(trace) == "never") return {};
  if (!trace.knows_key()) return judge_told_by_claims(trace);
  std::vector<Finding> findings;
  for (const auto& hold : trace.holds) {
    // On several servers the lock is lost with the hold that a majority needs.
    if (hold.end != "expired" || !believes(trace, hold.owner, hold.to)) continue;
    const bool majority_ends =
        trace.held_for(hold.owner, hold.to - 1) && !trace.held_for(hold.owner, hold.to);
    if (trace.nodes() > 1 && !majority_ends) continue;
    const auto told = told_of_loss(trace, hold.owner, hold.from);
    if (told < hold.to) continue;
    if (is_asked(trace) && !is_asked_in_vain(trace, hold.owner, hold.to)) continue;
    findings.push_back({.property = Property::holder_was_told,
                        .sentence = fmt::format("{}'s lease ended at {} ms, and {}", hold.owner,
                                                trace.ms(hold.to), say_when_told(trace, told)),
                        .may_be_the_machine = machine_explains(trace, hold.from, hold.to, told),
                        .evidence = {hold.to}});
  }
  return findings;
}

std::vector<Finding> judge_bounded_renewal(const Trace& trace) {
  const auto lock = trace.setting.value("lock", nlohmann::json::object());
  const auto every =
      std::max(1, lock.value("renewal_ms", trace.setting.value("lease_ms", 300) / 3));
  std::vector<Finding> findings;
  for (const auto& operation : trace.operations) {
    if (operation.name != "acquire" || operation.outcome != "acquired") continue;
    const auto next = next_call_of(trace, operation.client, operation.answered);
    const auto sent =
        most_commands_to_one_server(trace, operation.client, operation.answered, next);
    const auto span = trace.ms(next - 1) - trace.ms(operation.answered);
    const auto periods = span / every + 1;
    constexpr auto retries = 2;  // a reply that is slow to come is asked for again
    if (sent <= periods + retries) continue;
    findings.push_back(
        {.property = Property::bounded_renewal,
         .sentence = fmt::format("{} sent {} renewals within {} ms, where {} were due at most",
                                 operation.client, sent, span, periods),
         .may_be_the_machine = trace.stood_still() && sent <= 2 * periods + retries,
         .evidence = {operation.answered, next - 1}});
  }
  return findings;
}

}  // namespace faults
