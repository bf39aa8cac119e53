#include "faults/judging/counted_holds.h"

#include <charconv>
#include <string_view>

namespace faults {
namespace {

std::optional<long long> number_in(std::string_view word) {
  long long number = 0;
  const auto* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

// By how much `command` changes its key, if it counts.
std::optional<long long> step_of(const SentCommand& command) {
  const auto name = command.name();
  if (name == "INCR") return 1;
  if (name == "DECR") return -1;
  if (command.words.size() < 3) return std::nullopt;
  const auto by = number_in(command.words[2]);
  if (name == "INCRBY") return by;
  if (name == "DECRBY" && by) return -*by;
  return std::nullopt;
}

}  // namespace

std::optional<CounterChange> CountedHolds::read(const Event& event) {
  if (event.text("what") == "del" || event.text("what") == "expired")
    counters_.erase(event.process);
  if (event.text("what") != "incrby") return std::nullopt;
  auto& counter = counters_[event.process];
  const auto* command = command_of(event, counter);
  if (command == nullptr) return std::nullopt;
  done_.insert(command->place);
  const auto step = *step_of(*command);
  const bool was_free = counter.value <= 0;
  counter.value = number_in(command->reply).value_or(counter.value + step);
  auto& share = counter.shares[command->client];
  share += step;
  const bool is_free = counter.value <= 0;
  return CounterChange{.client = command->client,
                       .takes = was_free && !is_free,
                       .is_free = is_free,
                       .has_left = share <= 0};
}

// If several are under way: the one whose reply fits, else the first.
const SentCommand* CountedHolds::command_of(const Event& event, const Counter& counter) const {
  const SentCommand* first = nullptr;
  for (const auto& command : trace_.sent) {
    const bool may_be_it = command.server == event.process && command.place < event.number &&
                           event.number < command.settled && !done_.contains(command.place) &&
                           command.is_about(trace_.key_on_server) && step_of(command) &&
                           event.data.value("by", command.client) == command.client;
    if (!may_be_it) continue;
    if (number_in(command.reply) == counter.value + *step_of(command)) return &command;
    if (first == nullptr) first = &command;
  }
  return first;
}

}  // namespace faults
