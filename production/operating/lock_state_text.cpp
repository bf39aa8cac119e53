#include "production/operating/lock_state_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace operating {
namespace {

using std::chrono::milliseconds;

std::string in_seconds(milliseconds time) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

std::string first_of(std::string_view token) {
  return printable(token.substr(0, 4)) + "…";
}

std::string holder_of(const LockState& state) {
  return state.who.empty() ? "hold " + first_of(state.token) : printable(state.who);
}

std::string left_of(const LockState& state) {
  if (!state.left) return "for ever: it has no lease";
  if (!state.lease) return in_seconds(*state.left);
  return fmt::format("{} of {}", in_seconds(*state.left), in_seconds(*state.lease));
}

std::string depth_of(const LockState& state) {
  if (state.participants < 2) return std::to_string(state.depth);
  return fmt::format("{}, and {} threads are inside", state.depth, state.participants);
}

std::string waiters_of(const LockState& state) {
  if (state.waiting == 0 && state.listening == 0) return "nobody that this server knows of";
  if (state.waiting == 0) {
    return fmt::format("{} {} for its release, and may wait", state.listening,
                       state.listening == 1 ? "process listens" : "processes listen");
  }
  std::string text = fmt::format("{} in line:", state.waiting);
  for (const auto& waiter : state.waiters) text += "\n               " + printable(waiter);
  if (state.waiters.size() < state.waiting) text += "\n               …";
  return text;
}

std::string number_or_dash(std::optional<std::uint64_t> number) {
  return number ? std::to_string(*number) : "–";
}

// The columns that `text` takes on a terminal: its characters, not its bytes.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

using Row = std::vector<std::string>;

Row row_of(const LockState& state) {
  return {printable(state.key),
          holder_of(state),
          state.age ? in_seconds(*state.age) : "–",
          state.left ? in_seconds(*state.left) : "for ever: no lease",
          std::to_string(state.depth),
          std::to_string(std::max(state.waiting, state.listening)),
          number_or_dash(state.fencing)};
}

std::string lines_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(widths[i] + 2 - columns_of(row[i]), ' ');
    }
    text += row.back() + '\n';
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    shown += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, letter);
  }
  return shown;
}

std::string describe(const LockState& state) {
  const auto key = printable(state.key);
  switch (state.kind) {
    case LockState::Kind::free: return fmt::format("{} is free: there is no such key\n", key);
    case LockState::Kind::no_lock: return fmt::format("{} is no lock: a {}\n", key, state.type);
    case LockState::Kind::nameless:
      return fmt::format("{} is held, and says not by whom\n  lease left   {}\n", key,
                         left_of(state));
    case LockState::Kind::held: break;
  }
  auto text = fmt::format("{} is held\n", key);
  const auto add = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  add("holder", state.who.empty() ? "not said by this lock" : printable(state.who));
  if (state.age) add("since", in_seconds(*state.age) + " ago, by the server's clock");
  if (state.age) add("depth", depth_of(state));
  add("lease left", left_of(state));
  add("waiting", waiters_of(state));
  add("fencing", state.fencing ? std::to_string(*state.fencing) : "none: not a lock of stage 8");
  add("token", first_of(state.token));
  return text;
}

std::string describe(const FoundLocks& found, std::string_view pattern) {
  const auto& states = found.held;
  auto count =
      fmt::format("{} {} {}\n", states.size(),
                  states.size() == 1 ? "held lock fits" : "held locks fit", printable(pattern));
  const auto lasting = std::count_if(states.begin(), states.end(),
                                     [](const LockState& state) { return !state.left; });
  if (lasting > 0) count += fmt::format("{} of them without a lease\n", lasting);
  if (found.nameless > 0) {
    count += fmt::format("not shown: {} {}, too short for a token: a lock, or any other key\n",
                         found.nameless, found.nameless == 1 ? "text" : "texts");
  }
  if (states.empty()) return count;
  std::vector<Row> rows{{"lock", "holder", "held for", "left", "depth", "waiting", "fencing"}};
  for (const auto& state : states) rows.push_back(row_of(state));
  return lines_of(rows) + count;
}

std::string describe_risk(const LockState& state) {
  return fmt::format(
      "This ends the hold, and does not stop its holder ({}). If that lives, two may be\n"
      "inside from then on: until it renews and is told; without a watchdog, until it ends.\n"
      "{}\n",
      holder_of(state),
      state.fencing ? "A store that checks fencing tokens refuses its late writes."
                    : "There is no fencing token: its late writes overwrite the next holder's.");
}

nlohmann::json to_json(const LockState& state) {
  constexpr std::array<const char*, 4> kinds{"free", "held", "nameless", "no_lock"};
  nlohmann::json json{{"key", printable(state.key)},
                      {"state", kinds.at(static_cast<std::size_t>(state.kind))}};
  if (state.left) json["left_ms"] = state.left->count();
  if (state.kind != LockState::Kind::held) return json;
  if (!state.who.empty()) json["holder"] = printable(state.who);
  if (state.age) json["held_for_s"] = state.age->count();
  if (state.lease) json["lease_ms"] = state.lease->count();
  if (state.fencing) json["fencing"] = *state.fencing;
  json["depth"] = state.depth;
  json["participants"] = state.participants;
  json["waiting"] = state.waiting;
  json["listening"] = state.listening;
  return json;
}

}  // namespace operating
