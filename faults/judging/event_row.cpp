#include "faults/judging/event_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace faults {
namespace {

// Without bytes that a terminal would obey.
std::string harmless(std::string text) {
  for (auto& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return text;
}

std::string say_fault(const Event& event) {
  const auto what = event.text("what");
  const auto message =
      event.text("side") == "command"
          ? fmt::format("{}'s command {}", event.process, event.text("command"))
          : fmt::format("the reply to {}'s {}", event.process, event.text("command"));
  if (what == fault::held) return fmt::format("{} is held on the wire", message);
  if (what == fault::delivered) return fmt::format("{} is let go on", message);
  if (what == fault::dropped) return fmt::format("{} is lost", message);
  if (what == fault::delayed) return fmt::format("{} is delayed", message);
  if (what == fault::blackholed) return fmt::format("{} and all behind it vanish", message);
  if (what == fault::cut_off) {
    return event.text("side") == "command"
               ? fmt::format("from now on nothing {} sends arrives", event.process)
               : fmt::format("from now on {} hears nothing from the server", event.process);
  }
  if (what == fault::promoted) {
    return event.text("by").empty()
               ? fmt::format("{} is the master now", event.process)
               : fmt::format("{} has made {} the master", event.text("by"), event.process);
  }
  if (what == fault::moved) {
    return fmt::format("the lock's key moves from {} to {}", event.text("from"), event.process);
  }
  if (what == fault::flushed) return fmt::format("{} forgets its scripts", event.process);
  if (what == fault::removed) {
    return fmt::format("{} loses the lock: somebody deletes it", event.process);
  }
  if (what == fault::stepped) {
    return fmt::format("{}'s clock jumps by {} ms", event.process, event.data.value("by_ms", 0));
  }
  if (what == fault::demoted) {
    return fmt::format("{} is made a replica: it takes no writes", event.process);
  }
  if (what == fault::reinstated) return fmt::format("{} is a master again", event.process);
  if (what == fault::restarted) {
    return fmt::format("{} is started again, {}", event.process, event.text("how"));
  }
  if (what == fault::reset) return fmt::format("{} is lost: the connection breaks", message);
  if (what == fault::frozen) return fmt::format("{} is frozen (SIGSTOP)", event.process);
  if (what == fault::thawed) return fmt::format("{} goes on (SIGCONT)", event.process);
  if (what == fault::unreachable) {
    return fmt::format("{} is cut off from the servers", event.process);
  }
  if (what == fault::reachable) return fmt::format("{} reaches the servers again", event.process);
  if (what == fault::killed) return fmt::format("{} is killed (SIGKILL)", event.process);
  if (what == fault::terminated) return fmt::format("{} is told to stop (SIGTERM)", event.process);
  if (what == fault::ended) return fmt::format("{} {}", event.process, event.text("how"));
  return fmt::format("{} {}", event.process, what);
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

}  // namespace

bool sets_lock(const Row& row) {
  return !row.cells.empty() && row.cells[0].text == say_server("set");
}

std::size_t width_of(std::string_view text) {
  // Each byte that does not continue a UTF-8 sequence begins one column.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string_view if_lost(const Event& message) {
  return message.vanished() ? was_lost : "";
}

bool leaves_a_channel(const Event& event) {
  return (event.kind == Kind::command && event.text("text").starts_with("UNSUBSCRIBE")) ||
         (event.kind == Kind::reply && event.text("command") == "UNSUBSCRIBE");
}

Row row_of(const Event& event) {
  const auto place = event.number;
  const Row nothing{.place = place, .across = {}, .cells = {}};
  const auto in_lane = [&](const std::string& text) {
    return Row{.place = place, .across = {}, .cells = {{event.process, harmless(text), place}}};
  };
  const auto across = [&](const std::string& text) {
    return Row{.place = place, .across = harmless(text), .cells = {}};
  };
  const auto operation = event.text("op");
  const bool with_storage = event.text("to") == "storage" || event.text("from") == "storage";
  if (leaves_a_channel(event)) return nothing;
  switch (event.kind) {
    case Kind::call:
      if (operation == "bye" || operation == "work") return nothing;
      return in_lane(event.is_of_another_key() ? operation + " " + event.text("key") : operation);
    case Kind::answer:
      if (operation == "bye" || event.text("outcome") == "done") return nothing;
      return in_lane("= " + event.text("outcome"));
    case Kind::command:
      if (with_storage) return nothing;
      return in_lane(fmt::format(" {}{}", event.text("text"), if_lost(event)));
    case Kind::reply:
      if (with_storage) return nothing;
      return in_lane(fmt::format(" ← {}{}", event.text("text"), if_lost(event)));
    case Kind::storage:
      if (event.text("what") == "begin") return nothing;
      return in_lane(say_storage(event));
    case Kind::told: {
      const auto* how = event.data.value("asked", false) ? " (it was asked)" : "";
      return in_lane("! " + event.text("event") + how);
    }
    case Kind::server: return in_lane(say_server(event.text("what")));
    case Kind::fault: return across(say_fault(event));
    case Kind::not_exercised:
    case Kind::misbehaved:
    case Kind::stalled: return across(event.text("why"));
    case Kind::stood_still:
      return across(
          fmt::format("the machine stood still for {} ms", event.data.value("for_ms", 0)));
    case Kind::setting:
    case Kind::ready: break;
  }
  return nothing;
}

}  // namespace faults
