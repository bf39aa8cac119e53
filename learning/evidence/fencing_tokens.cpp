#include "learning/evidence/fencing_tokens.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace learning {

std::optional<long long> token_of(const Call& call) {
  if (call.name != "acquire") return std::nullopt;
  const auto found = call.answer.find("fencing_token");
  if (found == call.answer.end() || !found->is_number()) return std::nullopt;
  return found->get<long long>();
}

std::optional<long long> counter_in(const Sent& command) {
  std::istringstream stream(command.reply);
  long long lease = 0;
  long long counter = 0;
  if (!(stream >> lease >> counter) || lease <= 0) return std::nullopt;
  return counter;
}

bool is_name_of_counter(const std::string& key) {
  constexpr std::string_view mark = ":fencing";
  return key.starts_with(lock_key) && key.find(mark) != std::string::npos;
}

bool is_of_counter(const faults::Event& event) {
  return event.kind == faults::Kind::server && is_name_of_counter(event.text("key"));
}

const Sent* cause_of(const Evidence& evidence, const faults::Event& event) {
  const auto found =
      std::find_if(evidence.sent.rbegin(), evidence.sent.rend(), [&](const Sent& command) {
        return command.server == event.process && command.place < event.number &&
               event.number < command.answered && command.answered != faults::never;
      });
  return found == evidence.sent.rend() ? nullptr : &*found;
}

bool is_stored(const Evidence& evidence, const Call& call, long long token) {
  std::set<std::string> asked;
  std::set<std::string> stored;
  for (const auto* command : evidence.of(call)) {
    if (asked.insert(command->server).second) continue;
    const auto words = command->arguments();
    const bool names_it = !words.empty() && words.back() == std::to_string(token);
    if (names_it && command->said_yes()) stored.insert(command->server);
  }
  return stored.size() >= evidence.trace.majority();
}

bool is_over(const Evidence& evidence, const Call& hold, const Call& next) {
  if (hold.client != next.client) return true;
  const auto between = [&](std::size_t from, std::size_t to) {
    return hold.answered < from && to < next.called;
  };
  const auto removed = count_faults(evidence, faults::fault::removed, hold.answered, next.called);
  if (removed >= evidence.trace.majority()) return true;
  const bool told =
      std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
        return event.is(faults::Kind::told, hold.client) && event.text("event") == "lost" &&
               between(event.number, event.number);
      });
  const auto kept = std::count_if(
      evidence.trace.holds.begin(), evidence.trace.holds.end(), [&](const auto& on_one) {
        const bool is_its =
            on_one.owner == hold.client || on_one.possible_owners.contains(hold.client);
        return is_its && on_one.from < hold.answered &&
               (on_one.to == faults::never || on_one.to > next.called);
      });
  if (told || static_cast<std::size_t>(kept) < evidence.trace.majority()) return true;
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
    return call.name == "release" && call.client == hold.client && call.key == hold.key &&
           between(call.called, call.answered);
  });
}

// Does `call` enter the hold that `giver` was given, by its token?
bool joins(const Call& call, const Call& giver) {
  const auto token = giver.answer.value("token", std::string{});
  return !token.empty() && call.asked.value("join", std::string{}) == token;
}

Pair not_greater(const Evidence& evidence) {
  auto acquired = evidence.acquired();
  // Who waits is asked first and let in last.
  std::stable_sort(acquired.begin(), acquired.end(),
                   [](const Call* a, const Call* b) { return a->answered < b->answered; });
  for (std::size_t later = 1; later < acquired.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const auto a = token_of(*acquired[earlier]);
      const auto b = token_of(*acquired[later]);
      const bool apart = is_over(evidence, *acquired[earlier], *acquired[later]) &&
                         !joins(*acquired[later], *acquired[earlier]);
      const bool in_order = acquired[earlier]->answered < acquired[later]->called;
      if (a && b && apart && (*b == *a || (in_order && *b < *a))) {
        return {acquired[earlier], acquired[later]};
      }
    }
  }
  return {};
}

}  // namespace learning
