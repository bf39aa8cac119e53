#include "faults/judging/attribution.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "faults/judging/trace.h"

namespace faults {
namespace {

// Do both begin with the same two words: a command and its key, or a script?
bool ask_the_same(const SentCommand& one, const SentCommand& other) {
  const auto size = std::min<std::size_t>(2, one.words.size());
  return other.words.size() >= size &&
         std::equal(one.words.begin(), one.words.begin() + static_cast<std::ptrdiff_t>(size),
                    other.words.begin());
}

// Did `command` set nothing, by its reply? SET and SETNX say so; SET with GET answers what was
// there (https://redis.io/docs/latest/commands/set/). Of a script that an acquire sends until it
// says "acquired", the last reply is known to have been a yes.
bool was_refused(const Trace& trace, const SentCommand& command) {
  if (command.heard == never) return false;
  if (command.name() == "SET") return (command.reply == "nil") != command.has_option("GET");
  if (command.name() == "SETNX") return command.reply == "0";
  if (!command.operation || !trace.every_operation[*command.operation].is("acquire", "acquired")) {
    return false;
  }
  const auto last = std::find_if(trace.sent.rbegin(), trace.sent.rend(), [&](const auto& each) {
    return each.operation == command.operation && ask_the_same(each, command);
  });
  return last->heard != never && last->reply != command.reply;
}

// May `acquire` have set the lock at `place`? Not if all that it had sent by then was refused. (An
// announcement may come after the answer.) If no commands are known, it may.
bool may_have_set(const Trace& trace, const Operation& acquire, std::size_t place) {
  bool is_known = false;
  for (const auto& command : trace.sent) {
    if (command.client != acquire.client || !command.is_about(trace.key_on_server)) continue;
    is_known = true;
    const bool is_its = acquire.open_at(command.place) && command.place < place;
    if (is_its && !was_refused(trace, command)) return true;
  }
  return !is_known;
}

// The client of the acquire under way that says "acquired" first (the others get the lock
// later); else the only one that was never answered or does not know; else the only one.
//
// `by_its_command`: only those that may have set it themselves. A lock that is handed on is set by
// another's command.
std::string setter_under_way(const Trace& trace, std::size_t place, bool by_its_command) {
  std::set<std::string> not_told;
  std::set<std::string> under_way;
  const Operation* first = nullptr;
  for (const auto& operation : trace.operations) {
    if (operation.name != "acquire" || !operation.open_at(place)) continue;
    if (by_its_command && !may_have_set(trace, operation, place)) continue;
    if (operation.outcome == "acquired" && (!first || operation.answered < first->answered)) {
      first = &operation;
    }
    if (operation.outcome != "contended") not_told.insert(operation.client);
    under_way.insert(operation.client);
  }
  if (first != nullptr) return first->client;
  if (not_told.size() == 1) return *not_told.begin();
  return under_way.size() == 1 ? *under_way.begin() : "";
}

// The commands on the lock that are in flight at `place`, and belong to no call that is still open:
// those that plainly have that effect, else the scripts.
std::vector<const SentCommand*> left_in_flight(const Trace& trace, std::string_view effect,
                                               std::size_t place) {
  std::vector<const SentCommand*> plain;
  std::vector<const SentCommand*> scripts;
  for (const auto& command : trace.sent) {
    const bool is_open =
        command.operation && trace.every_operation[*command.operation].open_at(place);
    const bool is_there = command.in_flight_at(place) && command.is_about(trace.key_on_server);
    if (is_open || !is_there) continue;
    if (command.did(effect) || command.plainly_does(effect)) plain.push_back(&command);
    if (command.is_script()) scripts.push_back(&command);
  }
  return plain.empty() ? scripts : plain;
}

// A client that sent such a command, after its call was answered or before it died.
std::string left_by(const Trace& trace, const std::vector<const SentCommand*>& commands) {
  for (const auto* command : commands) {
    if (!was_refused(trace, *command)) return command->client;
  }
  return {};
}

// May `client` have removed `hold` by a command of a call that is still open then? Not by one that
// was answered before the hold began. If its commands are not known, it may.
bool may_have_removed(const Trace& trace, const std::string& client, const ServerHold& hold) {
  bool is_known = false;
  for (const auto& command : trace.sent) {
    if (command.client != client || !command.is_about(trace.key_on_server)) continue;
    is_known = true;
    const bool is_open = command.operation && command.place < hold.to &&
                         trace.every_operation[*command.operation].open_at(hold.to);
    const bool may = command.is_script() || command.did("del") || command.plainly_does("del");
    if (is_open && may && command.answered > hold.from) return true;
  }
  return !is_known;
}

}  // namespace

std::string find_setter(const Trace& trace, std::size_t place) {
  const auto client = setter_under_way(trace, place, /*by_its_command=*/true);
  if (!client.empty()) return client;
  const auto left = left_by(trace, left_in_flight(trace, "set", place));
  return left.empty() ? setter_under_way(trace, place, /*by_its_command=*/false) : left;
}

std::string find_remover(const Trace& trace, const ServerHold& hold) {
  const auto clients = find_removers(trace, hold.to);
  if (clients.contains(hold.owner)) return hold.owner;
  const auto may_be_it = [&](const auto& client) { return may_have_removed(trace, client, hold); };
  if (std::none_of(clients.begin(), clients.end(), may_be_it)) {
    const auto left = left_in_flight(trace, "del", hold.to);
    const auto is_its_owners = [&](const auto* command) { return command->client == hold.owner; };
    if (std::any_of(left.begin(), left.end(), is_its_owners)) return hold.owner;
    if (clients.empty() && !left.empty()) return left.front()->client;
  }
  const auto first = std::find_if(clients.begin(), clients.end(), may_be_it);
  if (first != clients.end()) return *first;
  return clients.empty() ? std::string() : *clients.begin();
}

std::set<std::string> find_removers(const Trace& trace, std::size_t place) {
  std::set<std::string> clients;
  for (const auto& operation : trace.operations) {
    if (!operation.open_at(place)) continue;
    const bool takes_back = operation.name == "acquire" && operation.outcome != "acquired";
    const bool unwinds = operation.is("work", "abandoned");
    if (operation.name == "release" || operation.name == "bye" || takes_back || unwinds) {
      clients.insert(operation.client);
    }
  }
  for (const auto& event : trace.events) {
    if (event.number >= place) break;
    const bool told = event.kind == Kind::fault && event.text("what") == fault::terminated;
    if (told) clients.insert(event.process);
  }
  return clients;
}

}  // namespace faults
