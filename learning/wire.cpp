#include "learning/wire.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

namespace learning {
namespace {

using faults::Event;
using faults::Kind;
using faults::Record;

// The number that `text` begins with.
std::optional<long long> as_number(std::string_view text) {
  long long number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

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

// Where the number of keys stands in a script's words: after its text, or what is shown of it.
std::size_t count_place(const std::vector<std::string>& words) {
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    const auto& word = words[i];
    if (word.size() == 1 && '0' < word[0] && word[0] <= '9') return i;
  }
  return words.size();
}

// It is no script, and its name says that it does that, which it has not done yet.
bool plainly_does(const Sent& command, const std::string& effect) {
  const auto name = command.name();
  if (command.did(effect)) return false;
  if (effect == "set") return name == "SET" || name == "SETNX";
  if (effect == "incrby") return name.starts_with("INCR");
  if (effect == "expire") {
    // Of a SET it comes after "set".
    const bool with_a_lease = command.has("PX") || command.has("EX");
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

// Nobody renews yet: when clients warm up, and when one first asks for the lock.
std::set<std::size_t> calls_before_any_renewal(const std::vector<Call>& calls) {
  std::set<std::size_t> found;
  std::set<std::string> have_asked;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool warms_up = calls[i].key != lock_key && !have_asked.contains(calls[i].lane);
    const bool asks = calls[i].name == "acquire" && !warms_up;
    if (warms_up || (asks && have_asked.insert(calls[i].lane).second)) found.insert(i);
  }
  return found;
}

// Is a client being stopped, who then gives back what it may still have?
bool is_leaving(const std::vector<Call>& calls, const Sent& command) {
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    return call.name == "bye" && call.lane == command.lane && call.called < command.place &&
           command.place < call.answered;
  });
}

// Which script it runs, if that can be seen, or else which command it is.
std::string kind_of(const Sent& command) {
  const auto script = command.script();
  return script.empty() ? command.name() : script;
}

// Marks what comes by itself: what belongs to no call, and the same while one is under way, since a
// watchdog does not wait for a call to end. What the clients' first calls have sent as well is that
// of an acquire or a release. A script of those that comes by itself is none either: by it a node
// is repaired, or somebody leaves without being asked to.
void mark_renewals(const std::vector<Call>& calls, std::vector<Sent>& sent) {
  const auto before_any = calls_before_any_renewal(calls);
  std::set<std::string> by_hand;
  std::set<std::string> by_itself;
  const auto is_alone = [&](const Sent& command) {
    return !command.call && !is_leaving(calls, command);
  };
  for (const auto& command : sent) {
    if (command.call && before_any.contains(*command.call)) by_hand.insert(kind_of(command));
    if (is_alone(command) && command.key() == lock_key) by_itself.insert(kind_of(command));
  }
  for (auto& command : sent) {
    const auto kind = kind_of(command);
    const bool is_known = command.is_script() && !command.script().empty();
    const bool is_its_own_kind = by_itself.contains(kind) && !by_hand.contains(kind);
    // Who leaves deletes, and who wants to know how long it lasts asks.
    constexpr std::array never_renewals{"DEL", "UNLINK", "TTL", "PTTL"};
    const auto* const never = std::find(never_renewals.begin(), never_renewals.end(), kind);
    if (never != never_renewals.end()) continue;
    command.renews =
        command.key() == lock_key && (is_its_own_kind || (!is_known && is_alone(command)));
  }
}

}  // namespace

std::string Sent::script() const {
  return name() == "EVALSHA" && words.size() > 1 ? words[1] : std::string{};
}

std::string Sent::name() const {
  std::string text = words.empty() ? "" : words.front();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool Sent::is_script() const {
  return name().starts_with("EVAL") || name().starts_with("FCALL");
}

std::string Sent::key() const {
  const auto at = is_script() ? count_place(words) + 1 : 1;
  return at < words.size() ? words[at] : "";
}

std::vector<std::string> Sent::arguments() const {
  std::size_t first = 2;
  if (is_script()) {
    const auto at = count_place(words);
    if (at == words.size()) return {};
    first = at + 1 + static_cast<std::size_t>(*as_number(words[at]));
  }
  if (first >= words.size()) return {};
  return {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()};
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string Sent::token() const {
  const auto all = arguments();
  if (all.empty()) return {};
  const auto found =
      is_script() ? std::find_if_not(all.begin(), all.end(), is_number) : all.begin();
  return found == all.end() ? all.front() : *found;
}

bool Sent::has(std::string_view word) const {
  return std::any_of(words.begin(), words.end(), [word](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text == word;
  });
}

std::optional<long long> Sent::number_after(std::string_view word) const {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == word) return as_number(words[i + 1]);
  }
  return std::nullopt;
}

bool Sent::did(std::string_view effect) const {
  return std::find(effects.begin(), effects.end(), effect) != effects.end();
}

std::optional<long long> Sent::number() const {
  return as_number(reply);
}

bool Sent::said_yes() const {
  return reply == "OK" || number() > 0;
}

bool Sent::said_no() const {
  return reply == "nil" || (number() && *number() <= 0);
}

bool Sent::was_refused() const {
  return reply.starts_with("error ");
}

std::vector<Call> calls_of(const Record& record) {
  std::vector<Call> calls;
  std::map<std::pair<std::string, int>, std::size_t> open;
  for (const auto& event : record) {
    const bool call = event.kind == Kind::call;
    if (!call && event.kind != Kind::answer) continue;
    const std::pair id{event.lane, event.data.value("id", 0)};
    if (call) {
      open[id] = calls.size();
      calls.push_back({.lane = event.lane,
                       .name = event.text("op"),
                       .key = event.text("key"),
                       .called = event.number,
                       .asked = event.data});
    } else if (const auto found = open.find(id); found != open.end()) {
      auto& answered = calls[found->second];
      answered.answered = event.number;
      answered.outcome = event.text("outcome");
      answered.answer = event.data;
    }
  }
  return calls;
}

std::vector<Sent> commands_of(const Record& record, const std::vector<Call>& calls) {
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
