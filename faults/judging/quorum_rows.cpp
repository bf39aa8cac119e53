// The rows of a quorum: related events share one row, so that the picture fits a screen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "faults/judging/rows.h"

namespace faults {
namespace {

using std::chrono::microseconds;

// A server's answer, and how often it had answered before in the same row.
struct Answer {
  int before = 0;
  std::string text;
};

// Sorts a refusal (below 0) last: the answers that decide must not be cut off.
struct YesFirst {
  bool operator()(const Answer& one, const Answer& other) const {
    return std::tuple(one.before, one.text.starts_with('-'), std::string_view(one.text)) <
           std::tuple(other.before, other.text.starts_with('-'), std::string_view(other.text));
  }
};

// A row that may still grow.
struct Burst {
  Kind kind = Kind::setting;
  std::string lane;                     // of a client's command or reply, or of a fault
  std::string text;                     // what all have in common
  std::set<std::string> nodes;          // the servers that are in it
  std::map<std::string, int> answered;  // how often, by server
  std::map<Answer, int, YesFirst> replies;
  microseconds since{0};
  std::size_t row = 0;  // its place in the rows
};

class QuorumRows {
 public:
  explicit QuorumRows(const Trace& trace) : trace_(trace) {}

  void add(const Event& event) {
    const bool of_lock = event.text("to") != "storage" && event.text("from") != "storage";
    if (leaves_a_channel(event)) return;
    if (event.kind == Kind::command && of_lock) return add_command(event);
    if (event.kind == Kind::reply && of_lock) return add_reply(event);
    if (event.kind == Kind::server && is_echo(trace_, event)) return;
    if (event.kind == Kind::server) return add_change(event);
    auto row = row_of(event);
    if (row.is_empty()) return;
    // Servers' doings and replies before it and after it are two things.
    std::erase_if(bursts_, [](const Burst& burst) {
      return burst.kind == Kind::server || burst.kind == Kind::reply;
    });
    if (event.kind == Kind::fault) return add_fault(event, std::move(row));
    close_lane(event.process);
    rows_.push_back(std::move(row));
  }

  [[nodiscard]] std::vector<Row> rows() && { return std::move(rows_); }

 private:
  // Longer apart, and it is not the same moment.
  static constexpr microseconds moment{200'000};

  // The open burst of that kind, lane and text that `node` is not yet part of.
  Burst* open(Kind kind, const std::string& lane, const std::string& text, const std::string& node,
              microseconds at) {
    for (auto& burst : bursts_) {
      if (burst.kind == kind && burst.lane == lane && burst.text == text &&
          !burst.nodes.contains(node) && at - burst.since < moment) {
        return &burst;
      }
    }
    return nullptr;
  }

  Burst& begin(const Event& event, const std::string& lane, const std::string& text, Row row) {
    bursts_.push_back({.kind = event.kind,
                       .lane = lane,
                       .text = text,
                       .nodes = {},
                       .answered = {},
                       .replies = {},
                       .since = event.at,
                       .row = rows_.size()});
    rows_.push_back(std::move(row));
    return bursts_.back();
  }

  // Nothing that comes after something else that `lane` did is part of what it did before.
  void close_lane(const std::string& lane) {
    std::erase_if(bursts_, [&](const Burst& burst) { return burst.lane == lane; });
  }

  void add_command(const Event& event) {
    auto row = row_of(event);
    const auto text = row.cells[0].text;
    const auto mark = if_lost(event);
    const auto command = text.substr(0, text.size() - mark.size());
    const auto node = event.text("to");
    auto* burst = open(Kind::command, event.process, text, node, event.at);
    if (burst == nullptr) {
      // The same command to another node, which it reaches, or does not, is no other moment.
      const bool goes_on = std::any_of(bursts_.begin(), bursts_.end(), [&](const Burst& other) {
        return other.kind == Kind::command && other.lane == event.process &&
               other.text.starts_with(command) && !other.nodes.contains(node);
      });
      if (!goes_on) close_lane(event.process);
      burst = &begin(event, event.process, text, std::move(row));
    } else {
      rows_[burst->row].cells[0].also.push_back(event.number);
    }
    burst->nodes.insert(node);
    const auto whom =
        burst->nodes.size() == 1 ? node : fmt::format("{} nodes", burst->nodes.size());
    rows_[burst->row].cells[0].text = shortened(command, fmt::format("{}{}", whom, mark));
  }

  // The command and whom it goes to; of a long command only the beginning.
  static std::string shortened(std::string text, const std::string& whom) {
    const auto room = widest_text - width_of(" → " + whom);
    if (width_of(text) > room) {
      text = text.substr(0, text.find(' ', text.find_first_not_of(' ')));  // its name
    }
    return text + " → " + whom;
  }

  void add_reply(const Event& event) {
    auto row = row_of(event);
    const auto node = event.text("from");
    // A server that answers twice to one question says late what it was asked before.
    auto* burst = open(Kind::reply, event.process, "", "", event.at);
    if (burst == nullptr) {
      burst = &begin(event, event.process, "", std::move(row));
    } else {
      rows_[burst->row].cells[0].also.push_back(event.number);
    }
    ++burst->replies[{.before = burst->answered[node]++,
                      .text = fmt::format("{}{}", event.text("text"), if_lost(event))}];
    std::vector<std::string> parts;
    for (const auto& [answer, count] : burst->replies) {
      parts.push_back(count == 1 ? answer.text : fmt::format("{}× {}", count, answer.text));
    }
    rows_[burst->row].cells[0].text = fmt::format(" ← {}", fmt::join(parts, ", "));
  }

  // A change on one server; a script's changes are drawn as one.
  void add_change(const Event& event) {
    const auto text = say_change(event);
    if (!text) return;
    auto* burst = open(Kind::server, "", *text, event.process, event.at);
    const bool changed_since = burst != nullptr && last_change_[event.process] > burst->row;
    if (burst == nullptr || changed_since) {
      burst = &begin(event, "", *text, {.place = event.number, .across = {}, .cells = {}});
    }
    burst->nodes.insert(event.process);
    rows_[burst->row].cells.push_back(
        {.lane = event.process, .text = *text, .place = event.number});
    last_change_[event.process] = burst->row;
  }

  [[nodiscard]] std::optional<std::string> say_change(const Event& event) {
    const auto what = event.text("what");
    const auto before = std::exchange(last_what_[event.process], what);
    const auto* hold = trace_.hold_on(event.process, event.number);
    const bool is_new = hold != nullptr && hold->from == event.number;
    if (what == "set" || what == "hset" || what == "zadd") {
      if (is_new) return "set";
      if (what == "set" && before != "hset") return "renew";
      return before == "hset" || before == "hdel" ? std::nullopt
                                                  : std::optional<std::string>("level");
    }
    // With the lock comes its lease; with its last field goes the lock.
    if (what == "expire") {
      return before == "set" || before == "hset" ? std::nullopt
                                                 : std::optional<std::string>("renew");
    }
    if (what == "hdel") return std::nullopt;
    if (what == "expired") return "gone";
    return what;
  }

  // The same fault at several servers, or of several servers.
  void add_fault(const Event& event, Row row) {
    const auto node = event.text("server");
    const bool of_server = node.empty() && is_server(event.process);
    const auto key = of_server ? event.text("what") : row.across;
    const auto lane = of_server ? std::string("servers") : event.process;
    const auto where = of_server ? event.process : node;
    auto* burst = where.empty() ? nullptr : open(Kind::fault, lane, key, where, event.at);
    // Only if nothing but messages of the same client lies between.
    if (burst != nullptr && last_fault_ == burst->row) {
      burst->nodes.insert(where);
    } else {
      std::erase_if(bursts_, [](const Burst& old) { return old.kind == Kind::fault; });
      if (node.empty()) close_all();
      burst = &begin(event, lane, key, row);
      if (!where.empty()) burst->nodes.insert(where);
      last_fault_ = burst->row;
    }
    if (burst->nodes.size() == 1 && !of_server && node != "storage") {
      rows_[burst->row].across = fmt::format("{} ({})", key, node);
    } else if (burst->nodes.size() > 1 && !of_server) {
      rows_[burst->row].across = fmt::format("{} ({} nodes)", key, burst->nodes.size());
    } else if (burst->nodes.size() > 1) {
      rows_[burst->row].across = say_many(event, *burst, row.across);
    }
  }

  // "node4, node5 are killed (SIGKILL)", from "node5 is killed (SIGKILL)".
  static std::string say_many(const Event& event, const Burst& burst, const std::string& of_one) {
    auto rest = of_one.substr(event.process.size());
    for (const auto& [one, many] :
         {std::pair{" is ", " are "}, {" goes ", " go "}, {" forgets its ", " forget their "}}) {
      if (rest.starts_with(one)) rest = many + rest.substr(std::string_view(one).size());
    }
    return fmt::format("{}{}", fmt::join(burst.nodes, ", "), rest);
  }

  void close_all() { bursts_.clear(); }

  [[nodiscard]] bool is_server(const std::string& lane) const {
    return lane.starts_with("node") || lane == "replica";
  }

  const Trace& trace_;
  std::vector<Row> rows_;
  std::vector<Burst> bursts_;
  std::map<std::string, std::size_t> last_change_;  // by server, the row
  std::map<std::string, std::string> last_what_;    // by server
  std::size_t last_fault_ = 0;                      // the row
};

}  // namespace

std::vector<Row> quorum_rows_of(const Trace& trace) {
  QuorumRows rows(trace);
  for (const auto& event : trace.events) rows.add(event);
  return std::move(rows).rows();
}

}  // namespace faults
