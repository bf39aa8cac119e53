#include "faults/judging/picture.h"

#include <algorithm>
#include <set>

#include "faults/judging/rows.h"

namespace faults {
namespace {

// The servers that have something to say, in order of appearance; of several, in their order.
std::vector<std::string> servers_of(const Trace& trace) {
  std::vector<std::string> servers;
  for (const auto& event : trace.events) {
    if (event.kind != Kind::server || is_echo(trace, event)) continue;
    if (std::find(servers.begin(), servers.end(), event.process) == servers.end()) {
      servers.push_back(event.process);
    }
  }
  if (trace.nodes() > 1) std::sort(servers.begin(), servers.end());
  return servers;
}

std::vector<Lane> lanes_of(const Trace& trace) {
  std::set<std::string> clients;
  for (const auto& event : trace.events) {
    if (event.kind == Kind::call) clients.insert(event.process);
  }
  std::vector<Lane> lanes;
  for (const auto& client : clients) lanes.push_back({.name = client, .is_server = false});
  for (const auto& server : servers_of(trace)) lanes.push_back({.name = server, .is_server = true});
  return lanes;
}

// Which clients believe that they hold the lock, event by event.
class Beliefs {
 public:
  void follow(const Event& event) {
    if (event.is_of_another_key()) return;
    const auto outcome = event.text("outcome");
    if (event.kind == Kind::answer && event.text("op") == "acquire" && outcome == "acquired") {
      holders_.insert(event.process);
    }
    const bool gave_back = event.kind == Kind::answer && event.text("op") == "release" &&
                           outcome != "unknown" && outcome != "still_held";
    const bool gave_up = (event.kind == Kind::answer && outcome == "abandoned") ||
                         (event.kind == Kind::told && event.text("event") == "lost");
    const bool died = event.kind == Kind::fault &&
                      (event.text("what") == fault::killed || event.text("what") == fault::ended);
    if (gave_back || gave_up || died) holders_.erase(event.process);
  }
  [[nodiscard]] bool holds(const std::string& lane) const { return holders_.contains(lane); }

 private:
  std::set<std::string> holders_;
};

// True if the last hold of `client` on `node` exists at `place`, or if the client itself removed
// it. A hold without a known owner may be `client`'s.
bool may_rely_on(const Trace& trace, const std::string& node, const std::string& client,
                 std::size_t place) {
  const ServerHold* last = nullptr;
  for (const auto& hold : trace.holds) {
    const bool its_own = hold.owner.empty() || hold.may_be_of(client);
    if (its_own && hold.from <= place && trace.node_of(hold.server) == node) last = &hold;
  }
  if (last == nullptr) return false;
  return last->exists_at(place) || (last->end == "del" && last->ended_by == client);
}

// A client that gives the lock back is right about it until it hears that it is gone.
bool is_right(const Trace& trace, const std::string& client, std::size_t place) {
  return trace.count_nodes([&](const ServerHold& hold) {
    return may_rely_on(trace, trace.node_of(hold.server), client, place);
  }) >= trace.majority();
}

Field field_of(const Trace& trace, const Beliefs& beliefs, const Lane& lane, std::size_t place) {
  Field field;
  if (lane.is_server) {
    const auto* hold = trace.hold_on(lane.name, place);
    field.bar = hold != nullptr;
    if (hold != nullptr) field.owner = hold->owner;
  } else {
    field.bar = beliefs.holds(lane.name);
    field.mistaken = field.bar && !is_right(trace, lane.name, place);
  }
  return field;
}

std::set<std::size_t> evidence_of(const Judgement& judgement) {
  std::set<std::size_t> places;
  for (const auto& finding : judgement.findings) {
    places.insert(finding.evidence.begin(), finding.evidence.end());
  }
  return places;
}

// The cell of `lane` in `row`; null: there is none.
const Cell* cell_in(const Row& row, const Lane& lane) {
  const auto said = std::find_if(row.cells.begin(), row.cells.end(),
                                 [&](const Cell& cell) { return cell.lane == lane.name; });
  return said == row.cells.end() ? nullptr : &*said;
}

void write_into(Field& field, const Cell& said, const std::set<std::size_t>& evidence) {
  field.text = said.text;
  field.places = said.also;
  field.places.insert(field.places.begin(), said.place);
  field.is_evidence = std::any_of(field.places.begin(), field.places.end(),
                                  [&](std::size_t place) { return evidence.contains(place); });
}

}  // namespace

Picture picture_of(const Trace& trace, const Judgement& judgement) {
  Picture picture{.lanes = lanes_of(trace), .lines = {}};
  if (picture.lanes.empty()) return picture;
  const auto evidence = evidence_of(judgement);
  Beliefs beliefs;
  auto next = trace.events.begin();
  std::vector<std::size_t> shown(picture.lanes.size());  // of each lane, up to where
  for (const auto& row : rows_of(trace)) {
    for (; next != trace.events.end() && next->number <= row.place; ++next) beliefs.follow(*next);
    Line line{.place = row.place, .across = row.across, .fields = {}};
    for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
      const auto& lane = picture.lanes[i];
      const auto* said = cell_in(row, lane);
      // If several servers share a line, some were later than what the next line begins with.
      shown[i] = std::max(shown[i], said != nullptr ? said->place : row.place);
      auto field = field_of(trace, beliefs, lane, shown[i]);
      if (said != nullptr) write_into(field, *said, evidence);
      line.fields.push_back(std::move(field));
    }
    picture.lines.push_back(std::move(line));
  }
  return picture;
}

}  // namespace faults
