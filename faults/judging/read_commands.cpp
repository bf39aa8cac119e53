// Pairs the commands of a history with their replies, and with what they did to the servers' keys.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "faults/judging/trace.h"

namespace faults {
namespace {

// A client and a server: what goes over one route.
using Route = std::pair<std::string, std::string>;
using Places = std::vector<std::size_t>;  // places in the list of what was sent

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class CommandReader {
 public:
  explicit CommandReader(const Trace& trace) : trace_(trace) {}

  void read(const Event& event) {
    const bool to_the_lock = event.text("to") != "storage";
    if (event.kind == Kind::command && to_the_lock) return read_command(event);
    if (answers_a_command(event)) return read_reply(event);
    if (event.kind == Kind::server) return read_change(event);
    if (event.kind != Kind::fault) return;
    const Route route{event.process, event.text("server")};
    if (event.text("side") == "command") read_fault_on_the_way(event, route);
    if (event.text("side") == "reply") read_fault_on_the_way_back(event, route);
    if (event.text("what") == fault::reset) settle_all(event, route);
    if (event.text("what") == fault::killed) settle_all_to(event);
  }

  [[nodiscard]] std::vector<SentCommand> take() { return std::move(sent_); }

 private:
  [[nodiscard]] static Route route_of(const SentCommand& command) {
    return {command.client, command.server};
  }

  void read_command(const Event& event) {
    SentCommand command{.client = event.process,
                        .server = event.text("to"),
                        .words = words_of_command(event.text("text")),
                        .script = event.text("script"),
                        .place = event.number,
                        .effects = {},
                        .operation = operation_at(event),
                        .stopped = {}};
    if (event.vanished() || cut_.contains(route_of(command))) {
      command.settled = event.number;
      not_there_.insert(sent_.size());
    }
    if (command.name() == "MULTI") queued_.erase(route_of(command));
    open_.push_back(sent_.size());
    sent_.push_back(std::move(command));
  }

  // The last acquire or release of that client that is under way.
  [[nodiscard]] std::optional<std::size_t> operation_at(const Event& event) const {
    const auto& all = trace_.every_operation;
    for (auto i = all.size(); i-- > 0;) {
      const bool asks = all[i].name == "acquire" || all[i].name == "release";
      if (asks && all[i].client == event.process && all[i].open_at(event.number)) return i;
    }
    return std::nullopt;
  }

  void read_reply(const Event& event) {
    const Route route{event.process, event.text("from")};
    // A client may have several connections: what is stopped on one is not answered on another.
    const auto found = std::find_if(open_.begin(), open_.end(), [&](std::size_t i) {
      const auto& command = sent_[i];
      return route_of(command) == route && command.name() == event.text("command") &&
             !not_there_.contains(i) && !is_queued(i);
    });
    if (found == open_.end()) return;
    const auto command = *found;  // what is answered with it leaves `open_` as well
    const auto text = event.text("text");
    if (text == "QUEUED") return queued_[route].push_back(command);
    if (event.text("command") == "EXEC") execute(queued_[route], event, text);
    answer(command, event, text);
  }

  [[nodiscard]] bool is_queued(std::size_t command) const {
    const auto queue = queued_.find(route_of(sent_[command]));
    return queue != queued_.end() &&
           std::count(queue->second.begin(), queue->second.end(), command) > 0;
  }

  void answer(std::size_t i, const Event& reply, const std::string& text) {
    auto& command = sent_[i];
    command.answered = reply.number;
    command.settled = std::min(command.settled, reply.number);
    command.heard = reply.vanished() || deaf_.contains(route_of(command)) ? never : reply.number;
    command.reply = text;
    std::erase(open_, i);
  }

  // Commands queued since MULTI are done now, and answered with EXEC: nil if a watched key changed.
  void execute(Places& queue, const Event& reply, const std::string& text) {
    const auto answers = split(text);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      answer(queue[i], reply, answers.size() == queue.size() ? answers[i] : text);
    }
    queue.clear();
  }

  // Effects are those on a command's first key; of one that has the lock's elsewhere, on that.
  [[nodiscard]] bool may_change(const SentCommand& command, const std::string& key) const {
    const auto first = command.key();
    const bool is_shortened = first.find("…") != std::string::npos;
    if (key == trace_.key_on_server || is_shortened) return command.is_about(key);
    return first == key;
  }

  // Gives the effect to the last command that was sent to that server and is not answered yet: of
  // those that do just that; else of the scripts, whose effects are not known; else of all.
  void read_change(const Event& event) {
    const auto what = event.text("what");
    const auto is_there = [&](std::size_t i) {
      const auto& command = sent_[i];
      const bool same = command.server == event.process || event.process == "replica";
      return same && may_change(command, event.text("key")) && !not_there_.contains(i);
    };
    const auto last = [&](auto does) {
      return std::find_if(open_.rbegin(), open_.rend(),
                          [&](std::size_t i) { return is_there(i) && does(sent_[i]); });
    };
    auto found = last([&](const SentCommand& command) { return command.plainly_does(what); });
    if (found == open_.rend()) {
      found = last([](const SentCommand& command) { return command.is_script(); });
    }
    if (found == open_.rend()) found = last([](const SentCommand&) { return true; });
    if (found != open_.rend()) sent_[*found].effects.push_back(what);
  }

  // The fault is about the last command that is under way on that route.
  void read_fault_on_the_way(const Event& event, const Route& route) {
    const auto what = event.text("what");
    if (what == fault::cut_off) cut_.insert(route);
    const auto last = std::find_if(open_.rbegin(), open_.rend(),
                                   [&](std::size_t i) { return route_of(sent_[i]) == route; });
    if (last == open_.rend()) return;
    auto& command = sent_[*last];
    if (what == fault::held) {
      command.stopped.emplace_back(event.number, never);
      not_there_.insert(*last);
    } else if (what == fault::delivered) {
      if (!command.stopped.empty()) command.stopped.back().second = event.number;
      not_there_.erase(*last);
    } else if (fault::loses_the_message(what)) {
      command.settled = std::min(command.settled, event.number);
      not_there_.insert(*last);
    }
  }

  // A reply is seen when the server gives it, and then delayed, or lost.
  void read_fault_on_the_way_back(const Event& event, const Route& route) {
    const auto what = event.text("what");
    auto& delayed = delayed_[route];
    if (what == fault::cut_off) deaf_.insert(route);
    if (what == fault::held) {
      delayed = answered_before(event, route);
      are_heard(delayed, never);
    }
    if (what == fault::delivered) are_heard(delayed, event.number);
    if (fault::loses_the_message(what)) are_heard(answered_before(event, route), never);
  }

  // The commands whose reply a fault is about: those that were answered last, with EXEC all that
  // was queued. None: it is about a message that no command asked for.
  [[nodiscard]] Places answered_before(const Event& fault, const Route& route) const {
    Places last;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      const auto& command = sent_[i];
      if (route_of(command) != route || command.answered == never) continue;
      if (!last.empty() && command.answered < sent_[last.front()].answered) continue;
      if (!last.empty() && command.answered > sent_[last.front()].answered) last.clear();
      last.push_back(i);
    }
    const bool is_it = std::any_of(last.begin(), last.end(), [&](std::size_t i) {
      return sent_[i].name() == fault.text("command");
    });
    return is_it ? last : Places{};
  }

  void are_heard(const Places& commands, std::size_t at) {
    for (const auto i : commands) sent_[i].heard = at;
  }

  void settle_all(const Event& event, const Route& route) {
    for (auto& command : sent_) {
      if (route_of(command) == route) command.settled = std::min(command.settled, event.number);
    }
  }

  // The server died, if it is one.
  void settle_all_to(const Event& event) {
    for (auto& command : sent_) {
      if (trace_.node_of(command.server) != trace_.node_of(event.process)) continue;
      command.settled = std::min(command.settled, event.number);
    }
  }

  const Trace& trace_;
  std::vector<SentCommand> sent_;
  Places open_;                      // not answered yet
  std::set<std::size_t> not_there_;  // of these: stopped or lost on the way to the server
  std::map<Route, Places> queued_;   // of these: waiting for EXEC
  std::map<Route, Places> delayed_;  // whose reply is stopped on its way back
  std::set<Route> cut_;              // nothing arrives at the server
  std::set<Route> deaf_;             // nothing arrives at the client
};

}  // namespace

std::vector<SentCommand> read_commands(const Trace& trace) {
  CommandReader reader(trace);
  for (const auto& event : trace.record) reader.read(event);
  return reader.take();
}

}  // namespace faults
