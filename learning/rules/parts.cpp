#include "learning/rules/parts.h"

#include <algorithm>

namespace learning::rules {

bool may_be_a_time(std::string_view word) {
  constexpr std::string_view cut = "…";
  const auto at = word.find(cut);
  if (at == std::string_view::npos) return is_number(word);
  const auto behind = word.substr(at + cut.size());
  return is_number(word.substr(0, at)) && (behind.empty() || is_number(behind));
}

bool another_thread_is_inside(const Evidence& evidence, const Call& call) {
  const bool on_the_lock = call.key.empty() || call.key == lock_key;
  return on_the_lock && evidence.trace.another_thread_is_inside(call);
}

bool only_leases(const Sent& command) {
  const auto name = command.name();
  return name == "EXPIRE" || name == "PEXPIRE" || name == "EXPIREAT" || name == "PEXPIREAT";
}

bool overwrites(const Sent& command) {
  return command.name() == "SET" && !command.has_option("NX") && !command.has_option("XX");
}

bool looks(const Sent* command) {
  if (command == nullptr) return false;
  const bool only_compares = command->is_script() && command->effects.empty();
  return only_compares || command->name() == "GET" || command->name() == "HGET";
}

const Sent* next_of(const Evidence& evidence, const Sent& command, int step) {
  const auto* call = evidence.call_of(command);
  if (call == nullptr) return nullptr;
  const auto commands = evidence.of(*call);
  const auto found = std::find(commands.begin(), commands.end(), &command);
  const auto place = found - commands.begin() + step;
  const bool there = place >= 0 && place < static_cast<std::ptrdiff_t>(commands.size());
  return there ? commands[static_cast<std::size_t>(place)] : nullptr;
}

bool is_alone(const Evidence& evidence, const Sent& command) {
  // What is never answered was done, or lost, when its client's next command is answered there.
  const auto is_over_at = [&](const Sent& other) {
    auto over = other.answered;
    for (const auto& next : evidence.sent) {
      const bool after =
          next.client == other.client && next.server == other.server && next.place > other.place;
      if (after) over = std::min(over, next.answered);
    }
    return over;
  };
  return std::none_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
    return other.client != command.client && other.server == command.server &&
           other.place < command.answered && is_over_at(other) > command.place;
  });
}

int depth_at(const Evidence& evidence, const std::string& lane, std::size_t place,
             std::string_view key) {
  int depth = 0;
  for (const auto& call : evidence.calls()) {
    if (call.client != lane || call.key != key || call.answered >= place) continue;
    if (call.is("acquire", "acquired")) ++depth;
    if (call.name == "release" && call.outcome != "unknown") --depth;
  }
  return depth;
}

std::string holder_during(const Evidence& evidence, const Call& call) {
  const auto* before = evidence.held_at("redis", call.called);
  const auto* after = evidence.held_at("redis", call.answered);
  return before != nullptr && before == after ? before->owner : std::string{};
}

bool was_held_during(const Evidence& evidence, const Call& call) {
  const auto& holds = evidence.trace.holds;
  return std::any_of(holds.begin(), holds.end(), [&](const auto& hold) {
    return hold.from < call.answered && hold.to > call.called;
  });
}

int thread_of(const Call& call) {
  return call.asked.value("thread", 1);
}

bool stands_for(const Evidence& evidence, const Call& call) {
  return std::any_of(evidence.trace.holds.begin(), evidence.trace.holds.end(), [&](auto& hold) {
    const auto* there = evidence.held_at(hold.server, call.called);
    return there != nullptr && there->owner == call.client;
  });
}

bool may_be_leaving(const Evidence& evidence, const std::string& lane) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
    return call.client == lane && call.is("release", "unknown");
  });
}

bool is_stopped(const Evidence& evidence, const Sent& command) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
    const bool bye = event.kind == faults::Kind::call && event.text("op") == "bye";
    const bool told =
        event.kind == faults::Kind::fault && event.text("what") == faults::fault::terminated;
    return event.process == command.client && event.number < command.place && (bye || told);
  });
}

bool is_beside_a_release(const Evidence& evidence, const Sent& renewal) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
    return call.name == "release" && call.client == renewal.client &&
           call.called < renewal.answered && renewal.place < call.answered;
  });
}

std::optional<long long> lease_asked_by(const Sent& renewal) {
  std::optional<long long> lease;
  for (const auto& word : renewal.arguments()) {
    if (is_number(word) && word.size() < 10) lease = std::max(lease, {std::stoll(word)});
  }
  return lease;
}

std::vector<Renewed> renewed_holds(const Evidence& evidence) {
  std::vector<Renewed> found;
  if (evidence.several_servers()) return found;
  for (const auto& hold : evidence.trace.holds) {
    Renewed renewed{.hold = &hold};
    for (const auto* renewal : evidence.renewals()) {
      if (renewal->client != hold.owner || renewal->name().ends_with("GET")) continue;
      if (renewal->answered == faults::never) continue;  // it did not arrive, or the story was over
      if (evidence.held_at("redis", renewal->place) != &hold) continue;
      renewed.last = renewal;
      ++renewed.count;
      renewed.lengthened = renewed.lengthened && renewal->did("expire");
    }
    if (renewed.last != nullptr) found.push_back(renewed);
  }
  return found;
}

bool waited_on(const Evidence& evidence, std::size_t decided, const Call& call) {
  // Where the machine is slow, a client may be slow to answer that was not waiting.
  const long long bearable = evidence.trace.stood_still() ? 500 : 250;  // ms
  return evidence.ms(call.answered) - evidence.ms(decided) -
             evidence.stood_still_between(decided, call.answered) -
             call.answer.value("lay_ms", 0LL) >=
         bearable;
}

}  // namespace learning::rules
