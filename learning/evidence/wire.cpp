#include "learning/evidence/wire.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "learning/evidence/own_accord.h"

namespace learning {
namespace {

using faults::Event;
using faults::Kind;

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A command's words: a key may be empty, and stands between two blanks then. A script that is empty
// is none.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const auto to = std::min(text.find(' ', from), text.size());
    const bool no_script = words.size() == 1 && words.front().starts_with("EVAL");
    if (from < to || (!words.empty() && !no_script)) words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

// It is no script, and its name says that it does that, which it has not done yet.
bool plainly_does(const Sent& command, const std::string& effect) {
  const auto name = command.name();
  if (command.did(effect)) return false;
  if (effect == "set") return name == "SET" || name == "SETNX";
  if (effect == "incrby") return name.starts_with("INCR");
  if (effect == "expire") {
    // Of a SET it comes after "set".
    const bool with_a_lease = command.has_option("PX") || command.has_option("EX");
    return name.ends_with("EXPIRE") || (with_a_lease && command.did("set"));
  }
  return effect == "del" && name == "DEL";
}

// Pairs commands with their replies, and with what they did to the servers' keys.
class Reader {
 public:
  explicit Reader(const std::vector<Call>& calls) : calls_(calls) {}

  void read(const Event& event) {
    if (event.kind == Kind::command && event.text("to") != "storage") sent(event);
    if (faults::answers_a_command(event)) replied(event);
    if (event.kind == Kind::server) changed(event);
    if (event.kind == Kind::fault && event.text("side") == "command") stopped(event);
    if (event.kind == Kind::fault && event.text("side") == "reply") held_up(event);
  }

  [[nodiscard]] std::vector<Sent> take() { return std::move(sent_); }

 private:
  void sent(const Event& event) {
    Sent command{.lane = event.lane,
                 .server = event.text("to"),
                 .words = words_of(event.text("text")),
                 .place = event.number,
                 .effects = {},
                 .call = {}};
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto& call = calls_[i];
      const bool open = call.called < event.number && event.number < call.answered;
      const bool is_ours = call.name == "acquire" || call.name == "release";
      if (open && call.lane == event.lane && is_ours) command.call = i;
    }
    const bool vanished = event.vanished() || cut_.contains({command.lane, command.server});
    if (vanished) stopped_.insert(sent_.size());
    if (command.name() == "MULTI") queued_.erase({command.lane, command.server});
    open_.push_back(sent_.size());
    sent_.push_back(std::move(command));
  }

  void replied(const Event& event) {
    // A client may have several connections: what is stopped on one is not answered on another.
    const auto found = std::find_if(open_.begin(), open_.end(), [&](std::size_t i) {
      const auto& command = sent_[i];
      return command.lane == event.lane && command.server == event.text("from") &&
             command.name() == event.text("command") && !stopped_.contains(i) && !is_queued(i);
    });
    if (found == open_.end()) return;
    const auto command = *found;  // what is answered with it leaves `open_` as well
    const auto text = event.text("text");
    auto& queue = queued_[{event.lane, event.text("from")}];
    if (text == "QUEUED") {
      queue.push_back(command);
      return;
    }
    if (event.text("command") == "EXEC") execute(queue, event, text);
    answer(command, event, text);
  }

  [[nodiscard]] bool is_queued(std::size_t command) const {
    const auto queue = queued_.find({sent_[command].lane, sent_[command].server});
    return queue != queued_.end() &&
           std::count(queue->second.begin(), queue->second.end(), command);
  }

  void answer(std::size_t command, const Event& reply, const std::string& text) {
    const bool arrives =
        !reply.vanished() && !deaf_.contains({sent_[command].lane, sent_[command].server});
    sent_[command].answered = reply.number;
    sent_[command].heard = arrives ? reply.number : faults::never;
    sent_[command].reply = text;
    std::erase(open_, command);
  }

  // What was queued since MULTI is done now, and answered with EXEC: nil if a watched key changed.
  void execute(std::vector<std::size_t>& queue, const Event& reply, const std::string& text) {
    const auto answers = split(text);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      answer(queue[i], reply, answers.size() == queue.size() ? answers[i] : text);
    }
    queue.clear();
  }

  // Of what was sent to that server and is not answered yet, the last did it: of the commands that
  // do just that, or else of the scripts, of which that is not known, or else of all.
  void changed(const Event& event) {
    const auto what = event.text("what");
    const auto is_there = [&](std::size_t i) {
      const auto& command = sent_[i];
      const bool same =
          command.server == event.lane || (event.lane == "replica" && !command.server.empty());
      return same && command.key() == event.text("key") && !stopped_.contains(i);
    };
    const auto last = [&](auto does) {
      return std::find_if(open_.rbegin(), open_.rend(),
                          [&](std::size_t i) { return is_there(i) && does(sent_[i]); });
    };
    auto found = last([&](const Sent& command) { return plainly_does(command, what); });
    if (found == open_.rend())
      found = last([](const Sent& command) { return command.is_script(); });
    if (found == open_.rend()) found = last([](const Sent&) { return true; });
    if (found != open_.rend()) sent_[*found].effects.push_back(what);
  }

  void stopped(const Event& event) {
    const auto what = event.text("what");
    if (what == faults::fault::cut_off) cut_.insert({event.lane, event.text("server")});
    const auto last = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t i) {
      return sent_[i].lane == event.lane && sent_[i].server == event.text("server");
    });
    if (last == open_.rend()) return;
    const bool loses_it = faults::fault::loses_the_message(what);
    if (what == faults::fault::held || loses_it) stopped_.insert(*last);
    if (what == faults::fault::delivered) stopped_.erase(*last);
  }

  // The commands whose answer a fault is about: those that were answered last, with EXEC all that
  // was queued. None: it is about a message that no command asked for.
  [[nodiscard]] std::vector<std::size_t> answered_before(const Event& fault) const {
    std::vector<std::size_t> last;
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      const auto& command = sent_[i];
      if (command.lane != fault.lane || command.server != fault.text("server")) continue;
      if (command.answered == faults::never) continue;
      if (!last.empty() && command.answered < sent_[last.front()].answered) continue;
      if (!last.empty() && command.answered > sent_[last.front()].answered) last.clear();
      last.push_back(i);
    }
    const bool is_it = std::any_of(last.begin(), last.end(), [&](std::size_t i) {
      return sent_[i].name() == fault.text("command");
    });
    return is_it ? last : std::vector<std::size_t>{};
  }

  // An answer is seen when the server gives it, and then held, or lost.
  void held_up(const Event& event) {
    const auto what = event.text("what");
    auto& held = held_[{event.lane, event.text("server")}];
    if (what == faults::fault::cut_off) deaf_.insert({event.lane, event.text("server")});
    if (what == faults::fault::held) {
      held = answered_before(event);
      are_heard(held, faults::never);
    }
    if (what == faults::fault::delivered) are_heard(held, event.number);
    if (faults::fault::loses_the_message(what)) are_heard(answered_before(event), faults::never);
  }

  void are_heard(const std::vector<std::size_t>& commands, std::size_t at) {
    for (const auto i : commands) sent_[i].heard = at;
  }

  const std::vector<Call>& calls_;
  std::vector<Sent> sent_;
  // Whose answer is held, by client and server.
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> held_;
  std::set<std::pair<std::string, std::string>> deaf_;  // who hears a server no more
  std::vector<std::size_t> open_;                       // not answered yet
  // Of these, what waits for EXEC, by client and server.
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> queued_;
  std::set<std::size_t> stopped_;                      // of these, on the wire
  std::set<std::pair<std::string, std::string>> cut_;  // client and server
};

}  // namespace

std::vector<Sent> commands_of(const faults::Record& record, const std::vector<Call>& calls) {
  Reader reader(calls);
  for (const auto& event : record) {
    if (event.kind == Kind::not_exercised) break;
    reader.read(event);
  }
  auto sent = reader.take();
  mark_renewals(calls, sent);
  return sent;
}

}  // namespace learning
