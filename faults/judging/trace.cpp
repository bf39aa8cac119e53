#include "faults/judging/trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "faults/judging/net_effects.h"

namespace faults {
namespace {

Record numbered(Record record) {
  for (std::size_t place = 0; place < record.size(); ++place) record[place].number = place;
  return record;
}

// Leaves out what does not count for a judge: the setting, a client's events before it was ready,
// and changes of other keys.
Record events_that_count(const Record& record, const std::string& key_on_server) {
  std::map<std::string, std::size_t> ready;
  for (const auto& event : record) {
    if (event.kind == Kind::ready) ready[event.process] = event.number;
  }
  Record kept;
  for (const auto& event : record) {
    const auto found = ready.find(event.process);
    const bool preparing = found != ready.end() && event.number <= found->second;
    const bool other_key = event.kind == Kind::server && event.text("key") != key_on_server;
    if (!preparing && !other_key && event.kind != Kind::setting) kept.push_back(event);
  }
  return kept;
}

nlohmann::json setting_of(const Record& record) {
  auto setting = nlohmann::json::object();
  for (const auto& event : record) {
    if (event.kind == Kind::setting) setting = event.data;
  }
  return setting;
}

// A stage's key is the lock's name; of a foreign lock the setting says it, or that it is not known.
std::string key_in(const nlohmann::json& setting) {
  const auto lock = setting.find("lock");
  if (lock == setting.end()) return std::string(lock_key);
  const auto key = lock->find("key");
  return key != lock->end() && key->is_string() ? key->get<std::string>() : std::string();
}

// Starts the clock of `record` at the first call of `events`, and theirs.
void start_at_first_call(Record& record, Record& events) {
  const auto first = std::find_if(events.begin(), events.end(),
                                  [](const Event& event) { return event.kind == Kind::call; });
  if (first == events.end()) return;
  const auto zero = first->at;
  for (auto& event : record) event.at -= zero;
  for (auto& event : events) event.at -= zero;
}

std::vector<Operation> operations_that_count(const Record& events,
                                             const std::vector<Operation>& all) {
  std::vector<Operation> kept;
  for (const auto& event : events) {
    if (event.kind != Kind::call || event.is_of_another_key()) continue;
    kept.push_back(*std::lower_bound(
        all.begin(), all.end(), event.number,
        [](const Operation& operation, std::size_t place) { return operation.called < place; }));
  }
  return kept;
}

}  // namespace

Trace::Trace(Record history)
    : record(numbered(std::move(history))),
      setting(setting_of(record)),
      key_on_server(key_in(setting)),
      events(events_that_count(record, key_on_server)),
      every_operation(read_operations(record)),
      operations(operations_that_count(events, every_operation)) {
  start_at_first_call(record, events);
  sent = read_commands(*this);
  put_back = changes_put_back(*this);
  holds = read_holds(*this);
}

std::string Trace::node_of(const std::string& server) const {
  if (server != "replica") return server;
  return nodes() == 1 ? "redis" : "node1";
}

const ServerHold* Trace::hold_at(std::size_t place) const {
  for (const auto& hold : holds) {
    if (hold.exists_at(place) && (nodes() == 1 || held_for(hold.owner, place))) return &hold;
  }
  return nullptr;
}

const ServerHold* Trace::hold_on(const std::string& server, std::size_t place) const {
  for (const auto& hold : holds) {
    if (hold.server == server && hold.exists_at(place)) return &hold;
  }
  return nullptr;
}

bool Trace::had_lease(const ServerHold& hold, std::size_t place) const {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.is(Kind::server, hold.server) && event.text("what") == "expire" &&
           hold.from < event.number && event.number < place;
  });
}

bool Trace::held_for(const std::string& client, std::size_t place) const {
  return count_nodes([&](const ServerHold& hold) {
           return hold.is_of(client, place) && hold.exists_at(place);
         }) >= majority();
}

bool Trace::claims(const std::string& client, std::size_t place) const {
  bool has_it = false;
  for (const auto& operation : operations) {
    if (operation.client != client) continue;
    if (operation.is("acquire", "acquired") && operation.answered < place) has_it = true;
    const bool leaves = operation.name == "release" || operation.name == "bye";
    if (leaves && operation.called < place) has_it = false;
    if (operation.is("work", "abandoned") && operation.answered < place) has_it = false;
  }
  return has_it;
}

bool Trace::is_doing(const std::string& client, std::string_view name, std::size_t place) const {
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return operation.client == client && operation.name == name && operation.open_at(place);
  });
}

std::vector<std::string> Trace::asking(const std::string& node, std::size_t place) const {
  std::vector<std::string> clients;
  for (const auto& command : sent) {
    const bool may_do_it = command.in_flight_at(place) && command.may_use_keys();
    if (may_do_it && node_of(command.server) == node) {
      clients.push_back(command.client);
    }
  }
  return clients;
}

std::size_t Trace::end_of(const Operation& operation) const {
  if (operation.answered != never) return operation.answered;
  const auto killed = std::find_if(events.begin(), events.end(), [&](const Event& event) {
    return event.number > operation.called && event.is(Kind::fault, operation.client) &&
           event.text("what") == fault::killed;
  });
  return killed == events.end() ? record.size() - 1 : killed->number;
}

std::chrono::milliseconds Trace::longest_stall() const {
  std::chrono::milliseconds longest{0};
  for (const auto& event : events) {
    if (event.kind != Kind::stood_still || event.at.count() < 0) continue;
    longest = std::max(longest, std::chrono::milliseconds(event.data.value("for_ms", 0)));
  }
  return longest;
}

bool Trace::another_thread_is_inside(const Operation& acquire) const {
  const auto thread_of = [](const Operation& operation) {
    return operation.asked.value("thread", 1);
  };
  if (acquire.asked.contains("join")) return false;
  std::map<int, std::vector<const Operation*>> inside;  // by thread, the outermost first
  for (const auto& operation : operations) {
    if (operation.client != acquire.client || operation.answered >= acquire.called) continue;
    auto& levels = inside[thread_of(operation)];
    const bool leaves = operation.name == "release" || operation.outcome == "abandoned";
    if (operation.is("acquire", "acquired")) {
      levels.push_back(&operation);
    } else if (leaves && operation.outcome != "unknown" && !levels.empty()) {
      levels.pop_back();
    }
  }
  if (!inside[thread_of(acquire)].empty()) return false;
  return std::any_of(inside.begin(), inside.end(), [&](const auto& other) {
    if (other.second.empty()) return false;
    const auto held = count_nodes([&](const ServerHold& hold) {
      return hold.owner == acquire.client && hold.from < other.second.front()->answered &&
             hold.to > acquire.answered;
    });
    return held >= majority();
  });
}

}  // namespace faults
