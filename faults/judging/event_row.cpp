#include "faults/judging/event_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "faults/kit/text_width.h"

namespace faults {
namespace {

// Without bytes that a terminal would obey.
std::string harmless(std::string text) {
  for (auto& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return text;
}

struct Sentence {
  std::string_view what;
  std::string_view words;
};
constexpr std::array sentences{
    Sentence{fault::held, "{message} is held on the wire"},
    Sentence{fault::delivered, "{message} is let go on"},
    Sentence{fault::dropped, "{message} is lost"},
    Sentence{fault::delayed, "{message} is delayed"},
    Sentence{fault::blackholed, "{message} and all behind it vanish"},
    Sentence{fault::reset, "{message} is lost: the connection breaks"},
    Sentence{fault::moved, "the lock's key moves from {from} to {process}"},
    Sentence{fault::flushed, "{process} forgets its scripts"},
    Sentence{fault::removed, "{process} loses the lock: somebody deletes it"},
    Sentence{fault::stepped, "{process}'s clock jumps by {by_ms} ms"},
    Sentence{fault::demoted, "{process} is made a replica: it takes no writes"},
    Sentence{fault::reinstated, "{process} is a master again"},
    Sentence{fault::forbidden, "{process} forbids the command {command}"},
    Sentence{fault::allowed, "{process} allows {command} again"},
    Sentence{fault::restarted, "{process} is started again, {how}"},
    Sentence{fault::frozen, "{process} is frozen (SIGSTOP)"},
    Sentence{fault::thawed, "{process} goes on (SIGCONT)"},
    Sentence{fault::unreachable, "{process} is cut off from the servers"},
    Sentence{fault::reachable, "{process} reaches the servers again"},
    Sentence{fault::killed, "{process} is killed (SIGKILL)"},
    Sentence{fault::terminated, "{process} is told to stop (SIGTERM)"},
    Sentence{fault::interrupted, "{process} is interrupted by its program"},
    Sentence{fault::ended, "{process} {how}"}};

std::string say_fault(const Event& event) {
  const auto what = event.text("what");
  const bool is_command = event.text("side") == "command";
  if (what == fault::cut_off) {
    return is_command ? fmt::format("from now on nothing {} sends arrives", event.process)
                      : fmt::format("from now on {} hears nothing from the server", event.process);
  }
  if (what == fault::promoted && !event.text("by").empty()) {
    return fmt::format("{} has made {} the master", event.text("by"), event.process);
  }
  if (what == fault::promoted) return fmt::format("{} is the master now", event.process);
  const auto found = std::find_if(sentences.begin(), sentences.end(),
                                  [&](const Sentence& sentence) { return sentence.what == what; });
  if (found == sentences.end()) return fmt::format("{} {}", event.process, what);
  const auto command = event.text("command");
  const auto message = is_command ? fmt::format("{}'s command {}", event.process, command)
                                  : fmt::format("the reply to {}'s {}", event.process, command);
  return fmt::format(fmt::runtime(found->words), fmt::arg("message", message),
                     fmt::arg("process", event.process), fmt::arg("command", command),
                     fmt::arg("from", event.text("from")), fmt::arg("how", event.text("how")),
                     fmt::arg("by_ms", event.data.value("by_ms", 0)));
}

std::string say_server(const std::string& what) {
  if (what == "set" || what == "hset" || what == "incrby" || what == "zadd") return "lock set";
  if (what == "expire") return "lease set";
  if (what == "expired") return "lease over: gone";
  if (what == "hdel" || what == "zrem") return "one has left";
  if (what == "restore") return "lock comes over";
  if (what == "del") return "lock deleted";
  if (what == "kept") return "still has the lock";
  return what;
}

std::string say_storage(const Event& event) {
  const auto value = event.data.value("value", 0);
  const auto token = event.data.contains("token")
                         ? fmt::format(" (token {})", event.data.at("token").dump())
                         : std::string();
  const bool refused = !event.data.value("accepted", true);
  if (event.text("what") == "read") {
    return fmt::format("READ{} → {}", token, refused ? "refused" : std::to_string(value));
  }
  return fmt::format("WRITE {}{}{}", value, token, refused ? " → refused" : "");
}

// In its process' column; empty: nothing.
std::string cell_text(const Event& event) {
  const auto operation = event.text("op");
  const bool with_storage = event.text("to") == "storage" || event.text("from") == "storage";
  switch (event.kind) {
    case Kind::call:
      if (operation == "bye" || operation == "work" || operation == "interrupt") return {};
      return event.is_of_another_key() ? operation + " " + event.text("key") : operation;
    case Kind::answer:
      if (operation == "bye" || operation == "interrupt" || event.text("outcome") == "done") {
        return {};
      }
      return "= " + event.text("outcome");
    case Kind::command:
      return with_storage ? "" : fmt::format(" {}{}", event.text("text"), if_lost(event));
    case Kind::reply:
      return with_storage ? "" : fmt::format(" ← {}{}", event.text("text"), if_lost(event));
    case Kind::storage: return event.text("what") == "begin" ? "" : say_storage(event);
    case Kind::told:
      return fmt::format("! {}{}", event.text("event"),
                         event.data.value("asked", false) ? " (it was asked)" : "");
    case Kind::server: return say_server(event.text("what"));
    default: return {};
  }
}

// Across all columns; empty: nothing.
std::string text_across(const Event& event) {
  switch (event.kind) {
    case Kind::fault: return say_fault(event);
    case Kind::not_exercised:
    case Kind::misbehaved:
    case Kind::stalled: return event.text("why");
    case Kind::stood_still:
      return fmt::format("the machine stood still for {} ms", event.data.value("for_ms", 0));
    default: return {};
  }
}

}  // namespace

bool sets_lock(const Row& row) {
  return !row.cells.empty() && row.cells[0].text == say_server("set");
}

std::size_t width_of(std::string_view text) {
  return width_in_columns(text);
}

std::string_view if_lost(const Event& message) {
  return message.vanished() ? was_lost : "";
}

bool leaves_a_channel(const Event& event) {
  return (event.kind == Kind::command && event.text("text").starts_with("UNSUBSCRIBE")) ||
         (event.kind == Kind::reply && event.text("command") == "UNSUBSCRIBE");
}

Row row_of(const Event& event) {
  Row row{.place = event.number, .across = {}, .cells = {}};
  if (leaves_a_channel(event)) return row;
  row.across = harmless(text_across(event));
  if (const auto text = cell_text(event); !text.empty()) {
    row.cells.push_back({event.process, harmless(text), event.number});
  }
  return row;
}

}  // namespace faults
