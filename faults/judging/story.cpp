#include "faults/judging/story.h"

#include <algorithm>
#include <map>
#include <set>

namespace faults {
namespace {

constexpr const char* lock_key = "lock";

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
    const bool other_key = event.kind == Kind::server && event.text("key") != lock_key;
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

// Whose acquire set the key at `place`: the one that says so; else the only one under way that was
// never answered or does not know; else the only one under way.
std::string setter(const std::vector<Operation>& operations, std::size_t place) {
  std::set<std::string> not_told;
  std::set<std::string> under_way;
  for (const auto& operation : operations) {
    if (operation.name != "acquire" || !operation.open_at(place)) continue;
    if (operation.outcome == "acquired") return operation.lane;
    if (operation.outcome != "contended") not_told.insert(operation.lane);
    under_way.insert(operation.lane);
  }
  if (not_told.size() == 1) return *not_told.begin();
  return under_way.size() == 1 ? *under_way.begin() : "";
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

std::vector<ServerHold> what_the_servers_held(const Story& story) {
  std::vector<ServerHold> holds;
  std::map<std::string, std::size_t> existing;  // by server, the place in `holds`
  const auto end = [&](const std::string& server, std::size_t place, const char* how) {
    const auto found = existing.find(server);
    if (found == existing.end()) return;
    auto& hold = holds[found->second];
    hold.to = place;
    hold.end = how;
    existing.erase(found);
    if (hold.end != "del") return;
    const auto lanes = removers(story, place);
    if (!lanes.empty()) hold.ended_by = lanes.contains(hold.owner) ? hold.owner : *lanes.begin();
  };
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    const auto what = event.text("what");
    if (event.kind == Kind::fault && what == fault::killed) end(event.lane, place, "died");
    if (event.kind != Kind::server) continue;
    if ((what == "set" || what == "hset") && !existing.contains(event.lane)) {
      existing[event.lane] = holds.size();
      holds.push_back({.server = event.lane,
                       .from = place,
                       .owner = setter(story.operations, place),
                       .end = {},
                       .ended_by = {}});
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

const ServerHold* Story::hold_at(std::size_t place) const {
  for (const auto& hold : holds) {
    if (hold.from <= place && place < hold.to) return &hold;
  }
  return nullptr;
}

}  // namespace faults
