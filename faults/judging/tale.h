// Histories by hand, for the judges' tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/judging/history.h"
#include "faults/judging/verdict.h"

namespace faults {

// All servers of a Tale(5).
inline const std::vector<int> five{1, 2, 3, 4, 5};

// Adds one event after another, 10 ms apart. Its setting judges every property and needs nothing.
class Tale {
 public:
  Tale() {
    add("", Kind::setting,
        {{"stage", "stage0_test"},
         {"scenario", "test"},
         {"sentence", "a tale"},
         {"boundary", ""},
         {"lease_ms", 300},
         {"judged", {"mutual exclusion", "owner-only release", "liveness", "truthful outcomes"}},
         {"needs", nlohmann::json::array()}});
  }

  // The tale is one of `nodes` servers, "node1" and so on; what they do is told with `on`.
  explicit Tale(int nodes) : Tale() { record[0].data["nodes"] = nodes; }

  Tale& needs(const std::vector<std::string>& needs) {
    record[0].data["needs"] = needs;
    return *this;
  }
  Tale& judges(Property property) {
    record[0].data["judged"] = {to_string(property)};
    return *this;
  }

  Tale& call(const std::string& lane, const std::string& operation,
             nlohmann::json more = nlohmann::json::object()) {
    more["op"] = operation;
    more["id"] = ++last_id_;
    open_[lane] = {.id = last_id_, .key = more.value("key", std::string())};
    return add(lane, Kind::call, more);
  }
  Tale& answer(const std::string& lane, const std::string& operation, const std::string& outcome) {
    const auto& call = open_.at(lane);
    nlohmann::json data{{"op", operation}, {"id", call.id}, {"outcome", outcome}};
    if (!call.key.empty()) data["key"] = call.key;
    return add(lane, Kind::answer, data);
  }
  Tale& command(const std::string& lane, const std::string& text) {
    return add(lane, Kind::command, {{"to", "redis"}, {"text", text}});
  }
  Tale& reply(const std::string& lane, const std::string& text) {
    return add(lane, Kind::reply, {{"from", "redis"}, {"command", "SET"}, {"text", text}});
  }
  Tale& server(const std::string& what) {
    return add("redis", Kind::server, {{"what", what}, {"key", "lock"}});
  }
  // The same for one of several servers, or for several in a row.
  Tale& command_to(int node, const std::string& lane, const std::string& text = "SET lock") {
    return add(lane, Kind::command, {{"to", name(node)}, {"text", text}});
  }
  Tale& reply_from(int node, const std::string& lane, const std::string& text = "OK") {
    return add(lane, Kind::reply, {{"from", name(node)}, {"command", "SET"}, {"text", text}});
  }
  Tale& server_on(const std::vector<int>& nodes, const std::string& what) {
    for (const int node : nodes) {
      add(name(node), Kind::server, {{"what", what}, {"key", "lock"}});
    }
    return *this;
  }
  // `lane` asks `nodes`, each of which does `what` and answers.
  Tale& asks(const std::string& lane, const std::vector<int>& nodes, const std::string& what,
             const std::string& text = "SET lock") {
    for (const int node : nodes) command_to(node, lane, text);
    for (const int node : nodes) {
      if (!what.empty()) server_on({node}, what);
      reply_from(node, lane);
    }
    return *this;
  }
  Tale& acquires_on(const std::vector<int>& nodes, const std::string& lane) {
    return call(lane, "acquire").asks(lane, nodes, "set").answer(lane, "acquire", "acquired");
  }
  Tale& releases_on(const std::vector<int>& nodes, const std::string& lane,
                    const std::string& outcome = "released") {
    return call(lane, "release")
        .asks(lane, nodes, "del", "DEL lock")
        .answer(lane, "release", outcome);
  }
  Tale& fault(const std::string& lane, std::string_view what) {
    return add(lane, Kind::fault, {{"what", what}, {"side", "reply"}, {"command", "GET"}});
  }
  Tale& reads(const std::string& lane, int value) {
    return add(lane, Kind::storage, {{"what", "read"}, {"account", "account"}, {"value", value}});
  }
  Tale& writes(const std::string& lane, int value, bool accepted = true) {
    return add(
        lane, Kind::storage,
        {{"what", "write"}, {"account", "account"}, {"value", value}, {"accepted", accepted}});
  }
  Tale& add(const std::string& lane, Kind kind, nlohmann::json data) {
    record.push_back({.number = record.size(),
                      .at = std::chrono::milliseconds(10 * record.size()),
                      .lane = lane,
                      .kind = kind,
                      .data = std::move(data)});
    return *this;
  }

  // The message that was told last goes over a link that is cut.
  Tale& vanishes() {
    record.back().data["vanished"] = true;
    return *this;
  }

  // Whole operations that go as they should.
  Tale& acquires(const std::string& lane) {
    return call(lane, "acquire").server("set").answer(lane, "acquire", "acquired");
  }
  Tale& releases(const std::string& lane) {
    return call(lane, "release").server("del").answer(lane, "release", "released");
  }
  Tale& works(const std::string& lane, int from) {
    return call(lane, "work").reads(lane, from).writes(lane, from + 1).answer(lane, "work", "done");
  }
  Tale& is_refused(const std::string& lane) {
    return call(lane, "acquire").answer(lane, "acquire", "contended");
  }

  Record record;

 private:
  [[nodiscard]] static std::string name(int node) { return "node" + std::to_string(node); }

  struct Call {
    int id = 0;
    std::string key;
  };

  int last_id_ = 0;
  std::map<std::string, Call> open_;  // by lane, the last
};

}  // namespace faults
