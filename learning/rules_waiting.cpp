// Rules about waiting for a lock that is somebody else's.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"

namespace learning::rules {
namespace {

// What a client listens on, as it has subscribed; empty: on nothing.
std::string channel_of(const Evidence& evidence, const std::string& lane, std::size_t place) {
  for (const auto& command : evidence.sent) {
    if (command.lane != lane || command.place > place || command.words.size() < 2) continue;
    if (command.name() == "SUBSCRIBE") return command.words[1];
  }
  return {};
}

// Whose lock was given back while `call` waited for it, and when. Null: nobody's.
const faults::ServerHold* released_during(const Evidence& evidence, const Call& call) {
  for (const auto& hold : evidence.story.holds) {
    if (hold.to == faults::never || hold.end != "del" || hold.ended_by != hold.owner) continue;
    const auto at = evidence.story.events[hold.to].number;
    if (hold.owner != call.lane && call.called < at && at < call.answered) return &hold;
  }
  return nullptr;
}

bool hears(const Evidence& evidence, const std::string& lane, std::size_t from, std::size_t to) {
  return std::any_of(evidence.record.begin(), evidence.record.end(), [&](const auto& event) {
    return event.is(faults::Kind::reply, lane) && event.text("command") == "message" &&
           from < event.number && event.number < to;
  });
}

bool is_disturbed(const Evidence& evidence, const std::string& lane, std::size_t from) {
  return std::any_of(evidence.record.begin(), evidence.record.end(), [&](const auto& event) {
    return event.is(faults::Kind::fault, lane) && event.number > from;
  });
}

// The commands of an acquire that were refused, by the first server that it asked.
std::vector<const Sent*> refusals_of(const Evidence& evidence, const Call& call) {
  std::vector<const Sent*> refused;
  for (const auto* command : evidence.of(call)) {
    const bool same = refused.empty() || refused.front()->server == command->server;
    if (same && command->said_no()) refused.push_back(command);
  }
  return refused;
}

}  // namespace

Says wakes_nobody(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    const auto* hold = released_during(evidence, call);
    const auto channel = channel_of(evidence, call.lane, call.answered);
    if (hold == nullptr || channel.empty() || is_disturbed(evidence, call.lane, call.called))
      continue;
    if (hears(evidence, call.lane, call.called, faults::never)) continue;
    const auto at = evidence.story.events[hold->to].number;
    const auto commands = evidence.of(call);
    const auto asks_again = std::any_of(commands.begin(), commands.end(), [&](const Sent* next) {
      return next->place > at && evidence.ms(next->place) - evidence.ms(at) < 100;
    });
    if (asks_again) continue;
    return fmt::format(
        "your release woke nobody: {} gave the lock back at {} ms, {} was waiting for it and "
        "listened on {}, and heard nothing; a release has to PUBLISH, and on the channel on which "
        "the waiters listen",
        hold->owner, evidence.ms(at), call.lane, channel);
  }
  return std::nullopt;
}

Says asks_without_a_pause(const Evidence& evidence) {
  const auto lease = evidence.story.setting.value("lease_ms", 300LL);
  for (const auto& call : evidence.calls) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    // Who listens needs to ask only at first, when word comes, and when the lease must be over.
    const bool listens = !channel_of(evidence, call.lane, call.answered).empty();
    const std::size_t many = listens ? 6 : 20;
    const auto short_time = listens ? lease : lease / 2;
    const auto refused = refusals_of(evidence, call);
    for (std::size_t last = many - 1; last < refused.size(); ++last) {
      const auto from = refused[last + 1 - many]->place;
      const auto to = refused[last]->place;
      if (evidence.ms(to) - evidence.ms(from) > short_time ||
          hears(evidence, call.lane, from, to)) {
        continue;
      }
      return fmt::format(
          "your lock asks without a pause: while {} waited it was refused {} times within {} ms; "
          "pause between two tries, or wait for word of a release for as long as the refusal says "
          "that the lease lasts (in milliseconds)",
          call.lane, refused.size(),
          evidence.ms(refused.back()->place) - evidence.ms(refused.front()->place));
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
