#include "faults/judging/story.h"

#include <algorithm>
#include <map>
#include <set>

#include "faults/judging/on_the_way.h"

namespace faults {
namespace {

// Drops what clients did before they were ready, and starts the clock at the first call.
Record without_preparations(const Record& record) {
  std::map<std::string, std::size_t> ready;
  for (const auto& event : record) {
    if (event.kind == Kind::ready) ready[event.lane] = event.number;
  }
  Record kept;
  for (const auto& event : record) {
    const auto found = ready.find(event.lane);
    const bool preparing = found != ready.end() && event.number <= found->second;
    const bool other_key = event.kind == Kind::server && event.is_of_another_key();
    if (!preparing && !other_key && event.kind != Kind::setting) kept.push_back(event);
  }
  const auto first = std::find_if(kept.begin(), kept.end(),
                                  [](const Event& event) { return event.kind == Kind::call; });
  const auto zero = first == kept.end() ? std::chrono::microseconds(0) : first->at;
  for (auto& event : kept) event.at -= zero;
  return kept;
}

std::vector<Operation> pair_up(const Record& events) {
  std::vector<Operation> operations;
  std::map<std::pair<std::string, int>, std::size_t> by_id;
  for (std::size_t place = 0; place < events.size(); ++place) {
    const auto& event = events[place];
    if (event.is_of_another_key()) continue;
    if (event.kind == Kind::call) {
      by_id[{event.lane, event.data.at("id").get<int>()}] = operations.size();
      operations.push_back({.lane = event.lane, .name = event.text("op"), .called = place});
    } else if (event.kind == Kind::answer) {
      const auto found = by_id.find({event.lane, event.data.at("id").get<int>()});
      if (found == by_id.end()) continue;
      operations[found->second].answered = place;
      operations[found->second].outcome = event.text("outcome");
    }
  }
  return operations;
}

// Whose acquire set the key at `place`: the one that says so, of several who wait at that moment
// the one that says so first, the others get it later; else the only one under way that was never
// answered or does not know; else the only one under way.
std::string setter(const std::vector<Operation>& operations, std::size_t place) {
  std::set<std::string> not_told;
  std::set<std::string> under_way;
  const Operation* first = nullptr;
  for (const auto& operation : operations) {
    if (operation.name != "acquire" || !operation.open_at(place)) continue;
    if (operation.outcome == "acquired" && (!first || operation.answered < first->answered)) {
      first = &operation;
    }
    if (operation.outcome != "contended") not_told.insert(operation.lane);
    under_way.insert(operation.lane);
  }
  if (first != nullptr) return first->lane;
  if (not_told.size() == 1) return *not_told.begin();
  return under_way.size() == 1 ? *under_way.begin() : "";
}

// Is `lane` acquiring at `place`, and never gets an answer?
bool never_hears(const std::vector<Operation>& operations, const std::string& lane,
                 std::size_t place) {
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return operation.lane == lane && operation.name == "acquire" && operation.open_at(place) &&
           operation.answered == never;
  });
}

// The clients that may be removing a lock at `place`: by release, by taking back what an acquire
// may have set, by leaving the scope of their work, or by being told to stop.
std::set<std::string> removers(const Story& story, std::size_t place) {
  std::set<std::string> lanes;
  for (const auto& operation : story.operations) {
    if (!operation.open_at(place)) continue;
    const bool takes_back = operation.name == "acquire" && operation.outcome != "acquired";
    const bool unwinds = operation.name == "work" && operation.outcome == "abandoned";
    if (operation.name == "release" || operation.name == "bye" || takes_back || unwinds) {
      lanes.insert(operation.lane);
    }
  }
  for (std::size_t i = 0; i < place; ++i) {
    const auto& event = story.events[i];
    if (event.kind == Kind::fault && event.text("what") == fault::terminated) {
      lanes.insert(event.lane);
    }
  }
  return lanes;
}

// Of several servers one: its new hold is that of the client whose command set it; if that is not
// known, that of the first who was asking it and is acquiring.
void name_owner(const Story& story, OnTheWay& commands, ServerHold& hold) {
  const auto server = story.node_of(hold.server);
  const auto asking = commands.asking_or_answered(server);
  std::set<std::string> acquiring;
  for (const auto& operation : story.operations) {
    if (operation.name == "acquire" && operation.open_at(hold.from)) {
      acquiring.insert(operation.lane);
    }
  }
  const auto first = std::find_if(asking.begin(), asking.end(), [&](const std::string& lane) {
    return acquiring.contains(lane);
  });
  if (const auto owner = commands.whose_set(server, hold.from)) {
    hold.owner = *owner;
  } else if (first != asking.end()) {
    hold.owner = *first;
  } else {  // its answer came before its last command did
    hold.owner = asking.empty() ? setter(story.operations, hold.from) : asking.back();
  }
  hold.may_be = std::move(acquiring);
  hold.may_be.insert(asking.begin(), asking.end());
}

bool is_releasing(const Story& story, const std::string& lane, std::size_t place) {
  return std::any_of(
      story.operations.begin(), story.operations.end(), [&](const Operation& operation) {
        return operation.lane == lane && operation.name == "release" && operation.open_at(place);
      });
}

// The same for who removed it. Two who had asked at the same moment are told apart here: who may
// have it and is giving it back had it.
void name_remover(const Story& story, const std::vector<std::string>& asking, ServerHold& hold) {
  for (const auto& lane : asking) {
    if (!hold.may_be.contains(lane) || !is_releasing(story, lane, hold.to)) continue;
    hold.owner = hold.ended_by = lane;
    return;
  }
  auto lanes = removers(story, hold.to);
  const bool asked = std::find(asking.begin(), asking.end(), hold.owner) != asking.end();
  if (asked || lanes.contains(hold.owner)) {
    hold.ended_by = hold.owner;
  } else if (!asking.empty() || !lanes.empty()) {
    hold.ended_by = asking.empty() ? *lanes.begin() : asking.front();
    if (hold.may_be.contains(hold.ended_by)) hold.owner = hold.ended_by;
  }
}

std::vector<ServerHold> what_the_servers_held(const Story& story) {
  std::vector<ServerHold> holds;
  std::map<std::string, std::size_t> existing;  // by server, the place in `holds`
  OnTheWay commands(story);
  const auto end = [&](const std::string& server, std::size_t place, const char* how) {
    const auto found = existing.find(server);
    if (found == existing.end()) return;
    auto& hold = holds[found->second];
    hold.to = place;
    hold.end = how;
    existing.erase(found);
    if (hold.end != "del") return;
    if (story.nodes() > 1) {
      const auto node = story.node_of(server);
      name_remover(story, commands.asking_or_answered(node), hold);
      return commands.has_done(hold.ended_by, node);
    }
    const auto lanes = removers(story, place);
    if (!lanes.empty()) hold.ended_by = lanes.contains(hold.owner) ? hold.owner : *lanes.begin();
  };
  // A server that keeps its data through a crash has the same lock as before, and whose it was.
  const auto come_back = [&](const std::string& server) {
    for (auto i = holds.size(); i-- > 0;) {
      if (holds[i].server != server) continue;
      if (holds[i].end == "died") {
        holds[i].to = never;
        holds[i].end.clear();
        existing[server] = i;
      }
      return;
    }
  };
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    const auto what = event.text("what");
    commands.follow(place);
    if (event.kind == Kind::fault && what == fault::killed) end(event.lane, place, "died");
    if (event.kind != Kind::server) continue;
    if (what == "kept") come_back(event.lane);
    const bool written = what == "set" || what == "hset" || what == "incrby";
    if (written && !existing.contains(event.lane)) {
      existing[event.lane] = holds.size();
      holds.push_back(
          {.server = event.lane, .from = place, .owner = {}, .end = {}, .ended_by = {}});
      if (story.nodes() > 1) {
        name_owner(story, commands, holds.back());
      } else {
        const auto asking = commands.asking_or_answered(story.node_of(event.lane));
        // A command that stood on the wire sets the lock for one who is dead by now.
        const bool is_orphan =
            asking.size() == 1 && never_hears(story.operations, asking.front(), place);
        holds.back().owner = is_orphan ? asking.front() : setter(story.operations, place);
      }
    }
    if (what == "del") end(event.lane, place, "del");
    if (what == "expired") end(event.lane, place, "expired");
  }
  return holds;
}

}  // namespace

Story::Story(const Record& record)
    : events(without_preparations(record)),
      setting(nlohmann::json::object()),
      operations(pair_up(events)) {
  for (const auto& event : record) {
    if (event.kind == Kind::setting) setting = event.data;
  }
  holds = what_the_servers_held(*this);
}

std::size_t Story::nodes() const {
  return setting.value("nodes", std::size_t{1});
}

std::string Story::node_of(const std::string& server) const {
  if (server != "replica") return server;
  return nodes() == 1 ? "redis" : "node1";
}

const ServerHold* Story::hold_at(std::size_t place) const {
  for (const auto& hold : holds) {
    if (hold.exists_at(place) && (nodes() == 1 || held_for(hold.owner, place))) return &hold;
  }
  return nullptr;
}

const ServerHold* Story::hold_on(const std::string& server, std::size_t place) const {
  for (const auto& hold : holds) {
    if (hold.server == server && hold.exists_at(place)) return &hold;
  }
  return nullptr;
}

bool Story::held_for(const std::string& lane, std::size_t place) const {
  return count_nodes([&](const ServerHold& hold) {
           return hold.owner == lane && hold.exists_at(place);
         }) >= majority();
}

std::chrono::milliseconds Story::longest_stall() const {
  std::chrono::milliseconds longest{0};
  for (const auto& event : events) {
    if (event.kind != Kind::stood_still || event.at.count() < 0) continue;
    longest = std::max(longest, std::chrono::milliseconds(event.data.value("for_ms", 0)));
  }
  return longest;
}

bool Story::another_thread_is_inside(const Operation& acquire) const {
  const auto thread_of = [this](const Operation& operation) {
    return events[operation.called].data.value("thread", 1);
  };
  if (events[acquire.called].data.contains("join")) return false;
  std::map<int, std::vector<const Operation*>> inside;  // by thread, the outermost first
  for (const auto& operation : operations) {
    if (operation.lane != acquire.lane || operation.answered >= acquire.called) continue;
    auto& levels = inside[thread_of(operation)];
    const bool leaves = operation.name == "release" || operation.outcome == "abandoned";
    if (operation.name == "acquire" && operation.outcome == "acquired") {
      levels.push_back(&operation);
    } else if (leaves && operation.outcome != "unknown" && !levels.empty()) {
      levels.pop_back();
    }
  }
  if (!inside[thread_of(acquire)].empty()) return false;
  return std::any_of(inside.begin(), inside.end(), [&](const auto& other) {
    if (other.second.empty()) return false;
    const auto held = count_nodes([&](const ServerHold& hold) {
      return hold.owner == acquire.lane && hold.from < other.second.front()->answered &&
             hold.to > acquire.answered;
    });
    return held >= majority();
  });
}

}  // namespace faults
