// Works out whose the lock was on each server, and when.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "faults/judging/attribution.h"
#include "faults/judging/counted_holds.h"
#include "faults/judging/net_effects.h"
#include "faults/judging/trace.h"

namespace faults {
namespace {

std::set<std::string> acquiring_at(const Trace& trace, std::size_t place) {
  std::set<std::string> clients;
  for (const auto& operation : trace.operations) {
    if (operation.name == "acquire" && operation.open_at(place)) clients.insert(operation.client);
  }
  return clients;
}

class HoldReader {
 public:
  explicit HoldReader(const Trace& trace) : trace_(trace), counted_(trace) {}

  void read(const Event& event) {
    const auto what = event.text("what");
    if (event.kind == Kind::fault && what == fault::killed) {
      killed_.insert(event.process);
      end(event, "died");
    }
    if (event.kind == Kind::fault && what == fault::moved)
      moves_[event.process] = event.text("from");
    if (event.kind != Kind::server || trace_.put_back.contains(event.number)) return;
    if (const auto counted = counted_.read(event)) return count(event, *counted);
    const bool written = writes_key(what);
    if (what == "kept") come_back(event.process);
    if (written && !existing_.contains(event.process)) begin(event);
    if (what == "set") hand_over(event);
    if (written) give_back_by_writing(event);
    if (what == "del" || what == "expired") end(event, what);
    if (what == "evicted" || what == "rename_from") end(event, "evicted");
  }

  [[nodiscard]] std::vector<ServerHold> take() { return std::move(holds_); }

 private:
  ServerHold& add_hold(const Event& event) {
    existing_[event.process] = holds_.size();
    auto& hold = holds_.emplace_back();
    hold.server = event.process;
    hold.from = event.number;
    return hold;
  }

  ServerHold& end_hold(const Event& event, const std::string& how) {
    auto& hold = holds_[existing_.extract(event.process).mapped()];
    hold.to = event.number;
    hold.end = how;
    return hold;
  }

  // A lock that counts is held by the client that found it at 0, until that counts down as well.
  void count(const Event& event, const CounterChange& change) {
    const auto found = existing_.find(event.process);
    if (found != existing_.end()) {
      const bool its_owner_leaves = change.has_left && holds_[found->second].owner == change.client;
      if (change.is_free || its_owner_leaves) end_hold(event, "del").ended_by = change.client;
    }
    if (change.takes) add_hold(event).owner = change.client;
  }

  // Was the lock's value read, in the call in which `other` was sent, before that?
  [[nodiscard]] bool looked_before(const SentCommand& other) const {
    return std::any_of(trace_.sent.begin(), trace_.sent.end(), [&](const SentCommand& command) {
      return command.operation == other.operation && command.name() == "GET" &&
             command.answered < other.place;
    });
  }

  // Its key can be there after the lease that its value tells. A script that reads so takes it; or
  // a client, by a command that answers what was there: it sees that no other was faster.
  void hand_over(const Event& event) {
    const auto found = existing_.find(event.process);
    if (found == existing_.end()) return;
    const bool may_be_over = is_over_by_its_value(holds_[found->second], event);
    const auto taker =
        std::find_if(trace_.sent.begin(), trace_.sent.end(), [&](const SentCommand& command) {
          const bool sees_it = may_be_over || command.answers_what_was_there();
          return may_have_done(command, event) &&
                 trace_.every_operation[*command.operation].is("acquire", "acquired") && sees_it &&
                 (command.is_script() || looked_before(command));
        });
    if (taker == trace_.sent.end() || holds_[found->second].owner == taker->client) return;
    auto& old = end_hold(event, may_be_over ? "expired" : "taken over");
    if (!may_be_over) old.ended_by = taker->client;
    add_hold(event).owner = taker->client;
  }

  // Is it a command of a call, under way when the server announced that?
  [[nodiscard]] bool may_have_done(const SentCommand& command, const Event& event) const {
    return command.operation && command.server == event.process &&
           event.data.value("by", command.client) == command.client &&
           command.place < event.number && event.number < command.answered;
  }

  // The server was given no lease, and the one that its owner asked for has expired.
  [[nodiscard]] bool is_over_by_its_value(const ServerHold& hold, const Event& event) const {
    return !trace_.had_lease(hold, event.number) &&
           trace_.ms(event.number) - trace_.ms(hold.from) >= lease_of(hold);
  }

  // Its key can be there while it is free: a release that says "released" writes so, as SETBIT does
  // (https://redis.io/docs/latest/commands/setbit/). A hash may have lost one level of several.
  void give_back_by_writing(const Event& event) {
    const auto found = existing_.find(event.process);
    const auto what = in_capitals(event.text("what"));
    if (found == existing_.end() || what.starts_with("H")) return;
    const auto owner = holds_[found->second].owner;
    const bool gives_back =
        std::any_of(trace_.sent.begin(), trace_.sent.end(), [&](const SentCommand& command) {
          if (command.client != owner || !may_have_done(command, event)) return false;
          const auto& call = trace_.every_operation[*command.operation];
          return call.name == "release" && call.open_at(event.number) &&
                 command.is_about(trace_.key_on_server) &&
                 (command.name() == what || (command.is_script() && call.outcome == "released"));
        });
    if (gives_back) end_hold(event, "del").ended_by = owner;
  }

  void begin(const Event& event) {
    auto& hold = add_hold(event);
    if (event.data.contains("by")) {
      hold.owner = event.text("by");
      return;
    }
    const auto move = moves_.extract(event.process);
    if (move && take_over(hold, move.mapped())) return;
    if (trace_.nodes() == 1) {
      hold.owner = find_setter(trace_, hold.from);
      return;
    }
    const auto node = trace_.node_of(hold.server);
    name_owner(hold, node, asking_or_answered(node, hold.from));
  }

  // The key comes from another server, which deletes it afterwards: the hold is the same.
  // False: there it was not.
  bool take_over(ServerHold& hold, const std::string& from) {
    const auto found = existing_.find(from);
    if (found == existing_.end()) return false;
    auto& old = holds_[found->second];
    hold.owner = old.owner;
    hold.possible_owners = old.possible_owners;
    old.to = hold.from;
    old.end = "moved";
    existing_.erase(found);
    return true;
  }

  void end(const Event& event, const std::string& how) {
    if (!existing_.contains(event.process)) return;
    auto& hold = end_hold(event, how);
    if (how != "del") return;
    if (event.data.contains("by")) {
      hold.ended_by = event.text("by");
      return;
    }
    const auto node = trace_.node_of(hold.server);
    if (trace_.nodes() > 1) {
      name_remover(hold, node, asking_or_answered(node, hold.to));
      return excuse_if_over(hold);
    }
    hold.ended_by = find_remover(trace_, hold, done_);
    excuse_if_over(hold);
  }

  // A lock in a sorted set has its leases in the scores: an expired one stays there until the next
  // client comes, and its removal harms no client.
  void excuse_if_over(ServerHold& hold) {
    const auto lock = trace_.setting.find("lock");
    if (lock == trace_.setting.end() || lock->value("type", std::string()) != "sorted set") return;
    if (hold.ended_by == hold.owner) return;
    if (trace_.ms(hold.to) - trace_.ms(hold.from) < lease_of(hold)) return;
    hold.end = "expired";
    hold.ended_by.clear();
  }

  // The lease that its owner asked for, in ms.
  [[nodiscard]] long long lease_of(const ServerHold& hold) const {
    auto lease = trace_.setting.value("lease_ms", 300LL);
    for (const auto& operation : trace_.operations) {
      const bool is_its = operation.client == hold.owner && operation.open_at(hold.from);
      if (is_its) lease = operation.asked.value("lease_ms", lease);
    }
    return lease;
  }

  // A server that keeps its data through a crash has the same lock as before, of the same client.
  void come_back(const std::string& server) {
    const auto last = std::find_if(holds_.rbegin(), holds_.rend(),
                                   [&](const ServerHold& hold) { return hold.server == server; });
    if (last == holds_.rend() || last->end != "died") return;
    last->to = never;
    last->end.clear();
    existing_[server] = static_cast<std::size_t>(holds_.rend() - last) - 1;
  }

  // The clients that are asking `node`. If none is, the one that it answered last: an announcement
  // may come after the answer.
  [[nodiscard]] std::vector<std::string> asking_or_answered(const std::string& node,
                                                            std::size_t place) const {
    auto clients = trace_.asking(node, place);
    if (!clients.empty()) return clients;
    const SentCommand* last = nullptr;
    for (const auto& command : trace_.sent) {
      if (trace_.node_of(command.server) != node || command.answered > place) continue;
      if (!command.may_use_keys()) continue;
      if (last == nullptr || command.answered > last->answered) last = &command;
    }
    if (last != nullptr) clients.push_back(last->client);
    return clients;
  }

  // One of several servers: its new hold is that of the client whose command set it; if that is
  // not known, that of the first that was asking it and is acquiring.
  void name_owner(ServerHold& hold, const std::string& node,
                  const std::vector<std::string>& asking) {
    auto acquiring = acquiring_at(trace_, hold.from);
    const auto first = std::find_if(asking.begin(), asking.end(), [&](const std::string& client) {
      return acquiring.contains(client);
    });
    if (const auto owner = whose_set(node, hold.from)) {
      hold.owner = *owner;
    } else if (first != asking.end()) {
      hold.owner = *first;
    } else {  // its answer came before its last command did
      hold.owner = asking.empty() ? find_setter(trace_, hold.from) : asking.back();
    }
    hold.possible_owners = std::move(acquiring);
    hold.possible_owners.insert(asking.begin(), asking.end());
  }

  // The same for the client that removed it. Two that had asked at the same moment are
  // distinguished here: the one that may have it and is giving it back had it.
  void name_remover(ServerHold& hold, const std::string& node,
                    const std::vector<std::string>& asking) {
    const auto gives_back = std::find_if(asking.begin(), asking.end(), [&](const auto& client) {
      return hold.possible_owners.contains(client) && trace_.is_doing(client, "release", hold.to);
    });
    const auto clients = find_removers(trace_, hold.to);
    const bool asked = std::find(asking.begin(), asking.end(), hold.owner) != asking.end();
    if (gives_back != asking.end()) {
      hold.owner = hold.ended_by = *gives_back;
    } else if (asked || clients.contains(hold.owner)) {
      hold.ended_by = hold.owner;
    } else if (!asking.empty() || !clients.empty()) {
      hold.ended_by = asking.empty() ? *clients.begin() : asking.front();
      if (hold.possible_owners.contains(hold.ended_by)) hold.owner = hold.ended_by;
    }
    do_next(hold.ended_by, node, hold.to);
  }

  // The client whose command set the lock on `node`: of the commands in flight that an acquire sent
  // the first that has done nothing yet, however long ago that acquire was answered. (A server that
  // stood still does late what has waited at its door.) Not that of a dead client that is waited
  // for no more. From then on that command has done what it does.
  [[nodiscard]] std::optional<std::string> whose_set(const std::string& node, std::size_t place) {
    const auto& sent = trace_.sent;
    const auto found = std::find_if(sent.begin(), sent.end(), [&](const SentCommand& command) {
      const auto& client = command.client;
      const bool may_come = is_pending(command, node, place);
      return may_come && trace_.is_doing(client, "acquire", command.place) &&
             (!killed_.contains(client) || trace_.is_doing(client, "acquire", place));
    });
    if (found == sent.end()) return std::nullopt;
    // A server does what comes over one connection in its order.
    for (auto command = sent.begin(); command <= found; ++command) {
      if (command->client == found->client && is_pending(*command, node, place)) {
        done_.insert(command->place);
      }
    }
    return found->client;
  }

  // The next command of `client` on its way to `node` has done what it does.
  void do_next(const std::string& client, const std::string& node, std::size_t place) {
    for (const auto& command : trace_.sent) {
      if (command.client != client || !is_pending(command, node, place)) continue;
      done_.insert(command.place);
      return;
    }
  }

  [[nodiscard]] bool is_pending(const SentCommand& command, const std::string& node,
                                std::size_t place) const {
    return command.in_flight_at(place) && trace_.node_of(command.server) == node &&
           !done_.contains(command.place);
  }

  const Trace& trace_;
  CountedHolds counted_;
  std::vector<ServerHold> holds_;
  std::map<std::string, std::size_t> existing_;  // by server, the place in `holds_`
  std::map<std::string, std::string> moves_;     // where a key comes from, by the server it goes to
  std::set<std::size_t> done_;                   // commands that the server was seen to do
  std::set<std::string> killed_;
};

// The token of the hold that `client` had at `place`, by its own last answer.
std::string token_of(const Trace& trace, const std::string& client, std::size_t place) {
  std::string token;
  for (const auto& operation : trace.operations) {
    const bool is_its = operation.client == client && operation.is("acquire", "acquired");
    if (is_its && operation.answered < place) token = operation.answer.value("token", "");
  }
  return token;
}

std::size_t left_at(const Trace& trace, const std::string& client, std::size_t place) {
  for (const auto& operation : trace.operations) {
    const bool leaves = operation.client == client && operation.name == "release";
    if (leaves && operation.called > place) return operation.answered;
  }
  return never;
}

// A client that was let into a hold by its token has it as well, until it leaves.
void add_joiners(const Trace& trace, std::vector<ServerHold>& holds) {
  for (const auto& operation : trace.operations) {
    const auto token = operation.asked.value("join", std::string());
    if (token.empty() || !operation.is("acquire", "acquired")) continue;
    const JoinedPeriod stay{.from = operation.answered,
                            .to = left_at(trace, operation.client, operation.answered)};
    for (auto& hold : holds) {
      const bool was_there = hold.from < operation.answered && hold.to > operation.called;
      if (!was_there || token_of(trace, hold.owner, operation.answered) != token) continue;
      hold.joined[operation.client] = stay;
    }
  }
}

}  // namespace

std::vector<ServerHold> read_holds(const Trace& trace) {
  HoldReader reader(trace);
  for (const auto& event : trace.events) reader.read(event);
  auto holds = reader.take();
  add_joiners(trace, holds);
  return holds;
}

}  // namespace faults
