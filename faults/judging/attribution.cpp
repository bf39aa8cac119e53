#include "faults/judging/attribution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "faults/judging/net_effects.h"
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

// True if the server announced between those places that the lock was gone.
bool went_between(const Trace& trace, const std::string& server, std::size_t from, std::size_t to) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&](const Event& event) {
    if (event.number <= from || event.number >= to || event.kind != Kind::server) return false;
    const auto what = event.text("what");
    return (what == "del" || what == "expired") && event.text("key") == trace.key_on_server &&
           trace.node_of(event.process) == trace.node_of(server);
  });
}

// True if another command of the same call asked the same and got the same reply, though the lock
// was not free in between. A script that sets the lock says so once; what it says of a lock that is
// there, it says again.
bool is_told_the_same_again(const Trace& trace, const SentCommand& command) {
  if (std::any_of(command.effects.begin(), command.effects.end(), writes_key)) return false;
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& other) {
    return &other != &command && other.operation == command.operation &&
           other.server == command.server && ask_the_same(other, command) &&
           other.answered != never && other.reply == command.reply &&
           !went_between(trace, command.server, std::min(command.place, other.place),
                         std::max(command.answered, other.answered));
  });
}

// Did `command` set nothing, by its reply? SET, SETNX and the like say so; SET with GET answers
// what was there (https://redis.io/docs/latest/commands/set/). Of a script that an acquire sends
// until it says "acquired", the last reply is known to have been a yes.
bool was_refused(const Trace& trace, const SentCommand& command) {
  if (command.heard == never) return false;
  if (command.name() == "SET") return (command.reply == "nil") != command.has_option("GET");
  constexpr std::array unless_there{"SETNX", "HSETNX", "COPY", "RENAMENX"};
  const auto name = command.name();
  const bool says_so =
      std::find(unless_there.begin(), unless_there.end(), name) != unless_there.end();
  if (says_so) return command.reply == "0";
  if (!command.operation) return false;
  if (!trace.every_operation[*command.operation].is("acquire", "acquired")) {
    return command.is_script() && is_told_the_same_again(trace, command);
  }
  const auto last = std::find_if(trace.sent.rbegin(), trace.sent.rend(), [&](const auto& each) {
    return each.operation == command.operation && ask_the_same(each, command);
  });
  return last->heard != never && last->reply != command.reply;
}

// True if the lock was removed after `command` was answered and before `place`, by a command that
// was sent after that answer: then `command` did not set what is there at `place`.
bool is_older_than_the_gap(const Trace& trace, const SentCommand& command, std::size_t place) {
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& removal) {
    return removal.did("del") && removal.place < place && removal.place > command.answered &&
           trace.node_of(removal.server) == trace.node_of(command.server) &&
           removal.is_about(trace.key_on_server) &&
           went_between(trace, removal.server, removal.place, place);
  });
}

bool is_stopped_at(const SentCommand& command, std::size_t place) {
  return std::any_of(command.stopped.begin(), command.stopped.end(), [place](const auto& stop) {
    return stop.first <= place && place < stop.second;
  });
}

// May `acquire` have set the lock at `place`? Not if all that it had sent by then was refused, or
// was stopped on its way. (An announcement may come after the answer.) If no commands are known, it
// may.
bool may_have_set(const Trace& trace, const Operation& acquire, std::size_t place) {
  bool is_known = false;
  for (const auto& command : trace.sent) {
    if (command.client != acquire.client || !command.is_about(trace.key_on_server)) continue;
    is_known = true;
    const bool is_its = acquire.open_at(command.place) && command.place < place;
    if (!is_its || is_stopped_at(command, place) || was_refused(trace, command)) continue;
    if (!is_older_than_the_gap(trace, command, place)) return true;
  }
  return !is_known;
}

// May one of the commands that `acquire` has sent to the server of `hold` have set it? If none of
// its client's commands are known, it may.
bool may_have_set(const Trace& trace, const Operation& acquire, const ServerHold& hold) {
  bool is_known = false;
  for (const auto& command : trace.sent) {
    if (command.client != acquire.client || !command.is_about(trace.key_on_server)) continue;
    is_known = true;
    const bool is_sent = acquire.open_at(command.place) && command.place < hold.from &&
                         trace.node_of(command.server) == trace.node_of(hold.server);
    const bool is_done = command.answered < hold.from && !command.effects.empty();
    if (!is_sent || is_done || is_stopped_at(command, hold.from)) continue;
    if (was_refused(trace, command)) continue;
    if (!is_older_than_the_gap(trace, command, hold.from)) return true;
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

// Can the command remove a lock, and did its reply not say that it removed none?
// (https://redis.io/docs/latest/commands/del/)
bool may_remove(const SentCommand& command) {
  const bool deletes = command.did("del") || command.plainly_does("del");
  return command.is_script() || (deletes && command.reply != "0");
}

// The command of a call of `client` that is still open at the end of `hold` which may have ended
// it: not one that was answered before the hold began, nor one that has removed another; null:
// there is none.
const SentCommand* removal_of(const Trace& trace, const std::string& client, const ServerHold& hold,
                              const std::set<std::size_t>& done) {
  for (const auto& command : trace.sent) {
    const bool is_its = command.client == client && command.is_about(trace.key_on_server);
    const bool is_open = command.operation && command.place < hold.to &&
                         trace.every_operation[*command.operation].open_at(hold.to);
    if (!is_its || !is_open || !may_remove(command) || done.contains(command.place)) continue;
    if (command.answered > hold.from) return &command;
  }
  return nullptr;
}

bool knows_commands_of(const Trace& trace, const std::string& client) {
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    return command.client == client && command.is_about(trace.key_on_server);
  });
}

// The same as find_remover, which notes the command.
std::string name_remover(const Trace& trace, const ServerHold& hold,
                         const std::set<std::size_t>& done) {
  const auto clients = find_removers(trace, hold.to);
  if (clients.contains(hold.owner)) return hold.owner;
  // In any operation of its owner: a library may undo what an earlier try of its own has set.
  const auto* own = removal_of(trace, hold.owner, hold, done);
  if (own != nullptr && !own->is_script()) return hold.owner;
  // If its commands are not known, it may.
  const auto may_be_it = [&](const auto& client) {
    return removal_of(trace, client, hold, done) != nullptr || !knows_commands_of(trace, client);
  };
  const auto first = std::find_if(clients.begin(), clients.end(), may_be_it);
  if (first != clients.end()) return *first;
  const auto left = left_in_flight(trace, "del", hold.to);
  const auto is_its_owners = [&](const auto* command) { return command->client == hold.owner; };
  if (std::any_of(left.begin(), left.end(), is_its_owners)) return hold.owner;
  return left.empty() ? std::string() : left.front()->client;
}

}  // namespace

std::string find_setter(const Trace& trace, std::size_t place) {
  const auto client = setter_under_way(trace, place, /*by_its_command=*/true);
  if (!client.empty()) return client;
  const auto left = left_by(trace, left_in_flight(trace, "set", place));
  return left.empty() ? setter_under_way(trace, place, /*by_its_command=*/false) : left;
}

std::set<std::string> possible_setters(const Trace& trace, const ServerHold& hold) {
  const auto& set = trace.record.at(hold.from);
  if (set.data.contains("by")) return {set.text("by")};
  std::set<std::string> clients;
  for (const auto& operation : trace.operations) {
    const bool is_open = operation.name == "acquire" && operation.open_at(hold.from);
    if (is_open && may_have_set(trace, operation, hold)) clients.insert(operation.client);
  }
  for (const auto* command : left_in_flight(trace, "set", hold.from)) {
    const bool is_there = trace.node_of(command->server) == trace.node_of(hold.server);
    if (is_there && !was_refused(trace, *command)) clients.insert(command->client);
  }
  return clients;
}

std::string find_remover(const Trace& trace, const ServerHold& hold, std::set<std::size_t>& done) {
  const auto client = name_remover(trace, hold, done);
  if (const auto* command = removal_of(trace, client, hold, done)) done.insert(command->place);
  return client;
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
