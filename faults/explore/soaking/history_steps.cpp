#include "faults/explore/soaking/history_steps.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "faults/explore/soaking/passes.h"
#include "faults/judging/trace.h"

namespace explore {
namespace {

using faults::Kind;
namespace fault = faults::fault;

enum class MessageFate { passes, waits, is_lost, is_slow };

// The fate of each message: the fault that a link wrote down behind it.
class Fates {
 public:
  explicit Fates(const faults::Record& record) {
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> last;
    for (const auto& event : record) {
      if (event.kind == Kind::command)
        last[{event.process, event.text("to"), "command"}] = event.number;
      if (event.kind == Kind::reply)
        last[{event.process, event.text("from"), "reply"}] = event.number;
      if (event.kind != Kind::fault || event.text("side").empty()) continue;
      const auto found = last.find({event.process, event.text("server"), event.text("side")});
      if (found == last.end()) continue;
      const auto what = event.text("what");
      if (what == fault::held) fates_[found->second] = MessageFate::waits;
      if (what == fault::delivered) delivered_[event.number] = found->second;
      if (what == fault::delayed) fates_[found->second] = MessageFate::is_slow;
      if (fault::loses_the_message(what)) fates_[found->second] = MessageFate::is_lost;
    }
  }

  [[nodiscard]] MessageFate of(std::size_t message) const {
    const auto found = fates_.find(message);
    return found == fates_.end() ? MessageFate::passes : found->second;
  }
  // The message that was let go on there.
  [[nodiscard]] std::optional<std::size_t> delivered_at(std::size_t place) const {
    const auto found = delivered_.find(place);
    return found == delivered_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::size_t, MessageFate> fates_;
  std::map<std::size_t, std::size_t> delivered_;
};

std::string command_in(const faults::Event& message) {
  if (message.kind == Kind::reply) return message.text("command");
  const auto text = message.text("text");
  return text.substr(0, text.find(' '));
}

class Translation {
 public:
  Translation(const faults::Record& record, std::vector<Pass> passes, std::size_t last)
      : record_(record), fates_(record), passes_(std::move(passes)), last_(last) {}

  [[nodiscard]] HistorySteps translate() {
    const auto first = passes_.empty() ? record_.size() : passes_.front().from;
    for (auto place = first; place < record_.size() && place <= last_; ++place)
      take(record_[place]);
    return {.clients = static_cast<int>(passes_.size()), .steps = std::move(steps_)};
  }

 private:
  void take(const faults::Event& event) {
    if (event.kind == Kind::server) return take_change(event);
    const auto pass = pass_of(event);
    if (!pass) {
      if (event.kind == Kind::fault) take_server_fault(event);
      return;
    }
    const std::string client(1, static_cast<char>('A' + *pass));
    if (event.number == passes_[*pass].from) add(Deed::begin, client);
    if (event.kind == Kind::command || event.kind == Kind::reply) take_message(event, client);
    if (event.kind == Kind::storage) send_what_was_slow(client);
    if (event.kind == Kind::fault) take_fault(event, client);
  }

  [[nodiscard]] std::optional<std::size_t> pass_of(const faults::Event& event) const {
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const auto& pass = passes_[i];
      const bool inside = event.number >= pass.from && event.number < pass.to;
      if (pass.client == event.process && inside) return i;
    }
    return std::nullopt;
  }

  void take_change(const faults::Event& event) {
    if (event.text("what") == "expired" && !event.is_of_another_key()) add(Deed::advance, "");
  }

  void take_server_fault(const faults::Event& event) {
    const auto what = event.text("what");
    if (what == fault::restarted) add(Deed::come_empty, "", event.process);
    if (what == fault::stepped) add(Deed::jump, "", event.process);
  }

  void take_message(const faults::Event& event, const std::string& client) {
    if (event.vanished()) return;
    const bool is_reply = event.kind == Kind::reply;
    const auto server = event.text(is_reply ? "from" : "to");
    const auto command = command_in(event);
    switch (fates_.of(event.number)) {
      case MessageFate::passes: return pass_on(event, client);
      case MessageFate::waits: return;
      case MessageFate::is_lost:
        if (is_reply) add(Deed::lose, client, server, command);
        return;
      case MessageFate::is_slow:
        add(Deed::slow, client, server, command);
        slow_[client] = {.deed = is_reply ? Deed::reply : Deed::send,
                         .client = client,
                         .server = server,
                         .command = command};
    }
  }

  // A client that is frozen hears nothing until it is thawed.
  void pass_on(const faults::Event& message, const std::string& client) {
    const bool is_reply = message.kind == Kind::reply;
    HistoryStep step{.deed = is_reply ? Deed::reply : Deed::send,
                     .client = client,
                     .server = message.text(is_reply ? "from" : "to"),
                     .command = command_in(message)};
    (frozen_.contains(client) ? late_[client] : steps_).push_back(std::move(step));
  }

  void send_what_was_slow(const std::string& client) {
    const auto slow = slow_.extract(client);
    if (!slow.empty()) steps_.push_back(slow.mapped());
  }

  void take_fault(const faults::Event& event, const std::string& client) {
    const auto what = event.text("what");
    if (const auto message = fates_.delivered_at(event.number)) {
      pass_on(record_[*message], client);
    } else if (what == fault::frozen) {
      add(Deed::freeze, client);
      frozen_.insert(client);
    } else if (what == fault::thawed) {
      add(Deed::thaw, client);
      frozen_.erase(client);
      for (auto& step : std::exchange(late_[client], {})) steps_.push_back(std::move(step));
    } else if (what == fault::killed) {
      add(Deed::kill, client);
    } else if (what == fault::unreachable || what == fault::reachable) {
      add(what == fault::reachable ? Deed::mend : Deed::cut, client);
    }
  }

  void add(Deed deed, const std::string& client, std::string server = {},
           std::string command = {}) {
    steps_.push_back({.deed = deed,
                      .client = client,
                      .server = std::move(server),
                      .command = std::move(command)});
  }

  const faults::Record& record_;
  const Fates fates_;
  const std::vector<Pass> passes_;
  const std::size_t last_;
  std::vector<HistoryStep> steps_;
  std::set<std::string> frozen_;
  std::map<std::string, std::vector<HistoryStep>> late_;  // of clients that are frozen
  std::map<std::string, HistoryStep> slow_;               // messages that have yet to arrive
};

}  // namespace

HistorySteps steps_around(const faults::Finding& finding, const faults::Record& record) {
  const faults::Trace trace(record);
  return Translation(trace.record, passes_around(finding, trace), span_of(finding, trace).last)
      .translate();
}

}  // namespace explore
