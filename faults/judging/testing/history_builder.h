// Histories by hand, for tests of what reads them.
//
// Thread-safety: none.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/kit/history.h"

namespace faults {

// All servers of a HistoryBuilder(5).
inline const std::vector<int> five{1, 2, 3, 4, 5};

// Adds one event after another, 10 ms apart. Its setting judges every property and needs nothing.
class HistoryBuilder {
 public:
  HistoryBuilder() {
    add("", Kind::setting,
        {{"stage", "stage0_test"},
         {"scenario", "test"},
         {"sentence", "a test"},
         {"boundary", ""},
         {"lease_ms", 300},
         {"judged", {"mutual exclusion", "owner-only release", "liveness", "truthful outcomes"}},
         {"needs", nlohmann::json::array()}});
  }

  // A history of `nodes` servers, "node1" and so on.
  explicit HistoryBuilder(int nodes) : HistoryBuilder() { record[0].data["nodes"] = nodes; }

  HistoryBuilder& needs(const std::vector<std::string>& needs) {
    record[0].data["needs"] = needs;
    return *this;
  }
  HistoryBuilder& judges(Property property) {
    record[0].data["judged"] = {to_string(property)};
    return *this;
  }

  HistoryBuilder& call(const std::string& client, const std::string& operation,
                       nlohmann::json more = nlohmann::json::object()) {
    more["op"] = operation;
    more["id"] = ++last_id_;
    open_[client] = {.id = last_id_, .key = more.value("key", std::string())};
    return add(client, Kind::call, more);
  }
  HistoryBuilder& answer(const std::string& client, const std::string& operation,
                         const std::string& outcome,
                         nlohmann::json more = nlohmann::json::object()) {
    const auto& call = open_.at(client);
    more.update({{"op", operation}, {"id", call.id}, {"outcome", outcome}});
    if (!call.key.empty()) more["key"] = call.key;
    return add(client, Kind::answer, more);
  }
  HistoryBuilder& command(const std::string& client, const std::string& text) {
    return command_to("redis", client, text);
  }
  HistoryBuilder& reply(const std::string& client, const std::string& text) {
    return reply_from("redis", client, text);
  }
  HistoryBuilder& server(const std::string& what) {
    return add("redis", Kind::server, {{"what", what}, {"key", "lock"}});
  }
  // The same for one of several servers, or for several in a row.
  HistoryBuilder& command_to(int node, const std::string& client,
                             const std::string& text = "SET lock") {
    return command_to(name(node), client, text);
  }
  HistoryBuilder& reply_from(int node, const std::string& client, const std::string& text = "OK") {
    return reply_from(name(node), client, text);
  }
  HistoryBuilder& server_on(const std::vector<int>& nodes, const std::string& what) {
    for (const int node : nodes) {
      add(name(node), Kind::server, {{"what", what}, {"key", "lock"}});
    }
    return *this;
  }
  // `client` asks `nodes`, each of which does `what` and answers.
  HistoryBuilder& asks(const std::string& client, const std::vector<int>& nodes,
                       const std::string& what, const std::string& text = "SET lock") {
    for (const int node : nodes) command_to(node, client, text);
    for (const int node : nodes) {
      if (!what.empty()) server_on({node}, what);
      reply_from(node, client);
    }
    return *this;
  }
  HistoryBuilder& acquires_on(const std::vector<int>& nodes, const std::string& client) {
    return call(client, "acquire").asks(client, nodes, "set").answer(client, "acquire", "acquired");
  }
  HistoryBuilder& releases_on(const std::vector<int>& nodes, const std::string& client,
                              const std::string& outcome = "released") {
    return call(client, "release")
        .asks(client, nodes, "del", "DEL lock")
        .answer(client, "release", outcome);
  }
  HistoryBuilder& fault(const std::string& client, std::string_view what) {
    return add(client, Kind::fault, {{"what", what}, {"side", "reply"}, {"command", "GET"}});
  }
  HistoryBuilder& reads(const std::string& client, int value) {
    return add(client, Kind::storage, {{"what", "read"}, {"account", "account"}, {"value", value}});
  }
  HistoryBuilder& writes(const std::string& client, int value, bool accepted = true) {
    return add(
        client, Kind::storage,
        {{"what", "write"}, {"account", "account"}, {"value", value}, {"accepted", accepted}});
  }
  // Time passes before the next event.
  HistoryBuilder& after(int ms) {
    passed_ += std::chrono::milliseconds(ms);
    return *this;
  }
  HistoryBuilder& add(const std::string& process, Kind kind, nlohmann::json data) {
    record.push_back({.number = record.size(),
                      .at = std::chrono::milliseconds(10 * record.size()) + passed_,
                      .process = process,
                      .kind = kind,
                      .data = std::move(data)});
    return *this;
  }

  // The last message goes over a link that is cut.
  HistoryBuilder& vanishes() {
    record.back().data["vanished"] = true;
    return *this;
  }

  // Whole operations that go as they should.
  HistoryBuilder& acquires(const std::string& client) {
    return call(client, "acquire").server("set").answer(client, "acquire", "acquired");
  }
  HistoryBuilder& releases(const std::string& client) {
    return call(client, "release").server("del").answer(client, "release", "released");
  }
  HistoryBuilder& works(const std::string& client, int from) {
    return call(client, "work")
        .reads(client, from)
        .writes(client, from + 1)
        .answer(client, "work", "done");
  }
  HistoryBuilder& is_refused(const std::string& client) {
    return call(client, "acquire").answer(client, "acquire", "contended");
  }

  Record record;

 private:
  [[nodiscard]] static std::string name(int node) { return "node" + std::to_string(node); }

  HistoryBuilder& command_to(const std::string& server, const std::string& client,
                             const std::string& text) {
    unanswered_[{client, server}].push_back(text.substr(0, text.find(' ')));
    return add(client, Kind::command, {{"to", server}, {"text", text}});
  }
  // The reply to the first command that has none yet.
  HistoryBuilder& reply_from(const std::string& server, const std::string& client,
                             const std::string& text) {
    auto& commands = unanswered_[{client, server}];
    const auto command = commands.empty() ? std::string("SET") : commands.front();
    if (!commands.empty()) commands.pop_front();
    return add(client, Kind::reply, {{"from", server}, {"command", command}, {"text", text}});
  }

  struct Call {
    int id = 0;
    std::string key;
  };

  std::chrono::milliseconds passed_{0};
  int last_id_ = 0;
  // By client and server, the names of the commands that were not answered yet.
  std::map<std::pair<std::string, std::string>, std::deque<std::string>> unanswered_;
  std::map<std::string, Call> open_;  // by client, the last
};

}  // namespace faults
