// Rules about waiting for a lock that is somebody else's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "learning/rules/known_words.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// What a client listens on at `place`, as a server has confirmed by then; empty: on nothing.
std::string channel_of(const Evidence& evidence, const std::string& lane, std::size_t place) {
  for (const auto& command : evidence.sent) {
    if (command.client != lane || command.answered > place || command.words.size() < 2) continue;
    if (command.name() == "SUBSCRIBE") return command.words[1];
  }
  return {};
}

// Whose lock was given back while `call` waited for it, and when. Null: nobody's.
const faults::ServerHold* released_during(const Evidence& evidence, const Call& call) {
  for (const auto& hold : evidence.trace.holds) {
    if (hold.to == faults::never || hold.end != "del" || hold.ended_by != hold.owner) continue;
    const auto at = hold.to;
    if (hold.owner != call.client && call.called < at && at < call.answered) return &hold;
  }
  return nullptr;
}

// When word came to the client of `asking` before it heard of its refusal; never: not then.
std::size_t early_word(const Evidence& evidence, const Sent& asking) {
  const auto found =
      std::find_if(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
        return event.is(faults::Kind::reply, asking.client) && event.text("command") == "message" &&
               !event.vanished() && asking.place < event.number && event.number < asking.heard;
      });
  return found == evidence.record().end() ? faults::never : found->number;
}

// Did word come to anybody after `place`?
bool is_heard(const Evidence& evidence, std::size_t place) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
    return event.kind == faults::Kind::reply && event.text("command") == "message" &&
           place < event.number;
  });
}

// Did a fault fall upon the client of `call` before it was answered?
bool has_a_fault_during(const Evidence& evidence, const Call& call) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
    return event.is(faults::Kind::fault, call.client) && call.called < event.number &&
           event.number < call.answered;
  });
}

// The tries of an acquire that were refused: not what gives back afterwards.
std::vector<const Sent*> refusals_of(const Evidence& evidence, const Call& call) {
  std::vector<const Sent*> refused;
  for (const auto* command : evidence.of(call)) {
    const auto is_such = [&](const Sent* first) {
      return first->server == command->server && first->name() == command->name() &&
             first->script() == command->script();
    };
    if ((refused.empty() || is_such(refused.front())) && command->said_no()) {
      refused.push_back(command);
    }
  }
  return refused;
}

// How long a client did nothing from the answer to one try to the next try, of the tries `first` to
// `last` together; not how long the answers took, which is the machine's.
long long pauses_between(const Evidence& evidence, const std::vector<const Sent*>& tries,
                         std::size_t first, std::size_t last) {
  long long paused = 0;
  for (auto i = first; i < last; ++i) {
    const auto heard = std::min(tries[i]->heard, tries[i + 1]->place);
    paused += evidence.ms(tries[i + 1]->place) - evidence.ms(heard);
  }
  return paused;
}

// The pauses between the tries of each acquire that was refused to the end, in ms.
std::vector<std::vector<long long>> pauses_of_refused(const Evidence& evidence) {
  std::vector<std::vector<long long>> all;
  for (const auto& call : evidence.calls()) {
    if (!call.is("acquire", "contended") || call.key != lock_key) continue;
    const auto tries = refusals_of(evidence, call);
    std::vector<long long> pauses;
    // The last one may be cut short.
    for (std::size_t i = 0; i + 2 < tries.size(); ++i) {
      pauses.push_back(pauses_between(evidence, tries, i, i + 1));
    }
    all.push_back(std::move(pauses));
  }
  return all;
}

// How long the three who asked first paused after their try number `i`, the shortest first.
std::array<long long, 3> pauses_after(const std::vector<std::vector<long long>>& all,
                                      std::size_t i) {
  std::array pauses{all[0][i], all[1][i], all[2][i]};
  std::sort(pauses.begin(), pauses.end());
  return pauses;
}

// Are these the same, but for what a machine adds?
bool are_the_same(const std::array<long long, 3>& pauses) {
  return pauses.back() - pauses.front() <= 3 + pauses.back() * 3 / 100;
}

// When `call` asked next after `place`; when it was answered, if it did not ask any more.
std::size_t next_after(const Evidence& evidence, const Call& call, std::size_t place) {
  for (const auto* command : evidence.of(call)) {
    if (command->place > place) return command->place;
  }
  return call.answered;
}

// Did anybody take the lock after `from`, up to `to`?
bool is_taken_between(const Evidence& evidence, std::size_t from, std::size_t to) {
  const auto& holds = evidence.trace.holds;
  return std::any_of(holds.begin(), holds.end(),
                     [&](const auto& hold) { return from < hold.from && hold.from < to; });
}

// Did a server do what its clients cannot know of: lose the lock, jump in time, make way for
// another?
bool servers_are_disturbed(const Evidence& evidence) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [](const auto& event) {
    const auto what = event.text("what");
    return event.kind == faults::Kind::fault &&
           (what == faults::fault::removed || what == faults::fault::stepped ||
            what == faults::fault::promoted || what == faults::fault::restarted);
  });
}

}  // namespace

Says wakes_nobody(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    const auto* hold = released_during(evidence, call);
    if (hold == nullptr || has_a_fault_during(evidence, call)) continue;
    const auto at = hold->to;
    const auto channel = channel_of(evidence, call.client, at);
    if (channel.empty() || is_heard(evidence, at)) continue;
    const auto commands = evidence.of(call);
    const auto asks_again = std::any_of(commands.begin(), commands.end(), [&](const Sent* next) {
      return next->place > at && evidence.ms(next->place) - evidence.ms(at) < 100;
    });
    if (asks_again) continue;
    return fmt::format(
        "your release woke nobody: {} gave the lock back at {} ms, {} was waiting for it and "
        "listened on {}, and heard nothing; a release has to PUBLISH, and on the channel on which "
        "the waiters listen",
        hold->owner, evidence.ms(at), call.client, channel);
  }
  return std::nullopt;
}

Says does_not_wait(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const auto wait = call.asked.value("wait_ms", 0LL);
    if (!call.is("acquire", "contended") || call.key != lock_key || wait == 0) continue;
    const auto tried = evidence.ms(call.answered) - evidence.ms(call.called);
    if (tried > wait / 2 || has_a_fault_during(evidence, call)) continue;
    if (refusals_of(evidence, call).size() != 1) continue;
    return fmt::format(
        "your lock does not wait: {} was to try for up to {} ms, asked once, and gave up after {} "
        "ms; usual_waiting() says how to come back, and how often",
        call.client, wait, tried);
  }
  return std::nullopt;
}

Says listens_to_nobody(const Evidence& evidence) {
  const bool waited = says(evidence.judgement.why, known::of_message);
  const bool listens = std::any_of(evidence.sent.begin(), evidence.sent.end(), [](auto& command) {
    const auto name = command.name();
    const bool subscribes = name.ends_with("SUBSCRIBE") && !name.ends_with("UNSUBSCRIBE");
    // BLPOP and its kin wait as well.
    const bool waits = name.starts_with("BL") || name.starts_with("BR") || name.starts_with("BZ") ||
                       name.starts_with("XREAD");
    return subscribes || waits;
  });
  if (evidence.judgement.verdict != faults::Verdict::not_exercised || !waited || listens) {
    return std::nullopt;
  }
  return "your waiter listens to nobody: no SUBSCRIBE was sent, so a release cannot wake it, and "
         "it comes back when its pause is over; word of a release is what it has to wait for";
}

Says misses_early_word(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key || call.answered == faults::never) continue;
    for (const auto* refused : refusals_of(evidence, call)) {
      const auto word = early_word(evidence, *refused);
      if (word == faults::never || refused->heard == faults::never) continue;
      const auto until = next_after(evidence, call, refused->heard);
      const auto slept = evidence.ms(until) - evidence.ms(refused->heard) -
                         evidence.stood_still_between(refused->heard, until);
      const bool is_free = evidence.held_at(refused->server, refused->heard) == nullptr;
      if (!is_free || slept < evidence.usual_lease()) continue;
      if (is_taken_between(evidence, refused->heard, until)) continue;
      return fmt::format(
          "your waiter misses word that comes before its refusal: {} asked at {} ms, was told of a "
          "release at {} ms, heard at {} ms that it was refused, and slept all the same; note what "
          "was heard so far before you ask (rung()), so that whatever comes after that wakes you",
          call.client, evidence.ms(refused->place), evidence.ms(word), evidence.ms(refused->heard));
    }
  }
  return std::nullopt;
}

Says sleeps_while_it_is_free(const Evidence& evidence) {
  if (evidence.several_servers() || servers_are_disturbed(evidence)) return std::nullopt;
  const auto longest = 3 * evidence.usual_lease();
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key || call.answered == faults::never) continue;
    if (has_a_fault_during(evidence, call)) continue;
    for (const auto& hold : evidence.trace.holds) {
      if (hold.to == faults::never) continue;
      const auto freed = hold.to;
      const bool waits = call.called < freed && freed < call.answered;
      if (!waits || refusals_of(evidence, call).empty()) continue;
      const auto until = next_after(evidence, call, freed);
      const auto slept =
          evidence.ms(until) - evidence.ms(freed) - evidence.stood_still_between(freed, until);
      if (slept < longest || is_taken_between(evidence, freed, until)) continue;
      const auto when = until == call.answered
                            ? std::string("asked no more")
                            : fmt::format("did not ask before {} ms", evidence.ms(until));
      return fmt::format(
          "your waiter slept while the lock was free: it was free from {} ms on, and {}, who "
          "waited for it, {}; a waiter asks again when word of a release comes, and when the lease "
          "that its refusal spoke of is over",
          evidence.ms(freed), call.client, when);
    }
  }
  return std::nullopt;
}

Says asks_without_a_pause(const Evidence& evidence) {
  // Ours pauses soon for longer, and never so often for less, or it waits for word.
  constexpr std::size_t many = 15;
  constexpr long long short_time = 120;  // ms, of all pauses between them
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    const auto refused = refusals_of(evidence, call);
    for (std::size_t last = many - 1; last < refused.size(); ++last) {
      const auto paused = pauses_between(evidence, refused, last + 1 - many, last);
      if (paused > short_time) continue;
      return fmt::format(
          "your lock hardly pauses between two tries: while {} waited it was refused {} times, and "
          "all the pauses between them came to {} ms; make the pauses longer from try to try, or "
          "wait for word of a release, for as long as the refusal says that the lease lasts (in "
          "milliseconds)",
          call.client, many, paused);
    }
  }
  return std::nullopt;
}

// A busy machine may delay a few of many tries. A random part of a pause, unless it is a small one,
// does not leave all the others alike.
Says waits_in_step(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto all = pauses_of_refused(evidence);
  if (all.size() < 3) return std::nullopt;
  const auto tries = std::min({all[0].size(), all[1].size(), all[2].size()});
  std::vector<long long> alike;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < tries; ++i) {
    const auto pauses = pauses_after(all, i);
    constexpr long long long_enough = 8;  // shorter ones are alike in any case
    if (pauses.front() < long_enough) continue;
    ++compared;
    if (are_the_same(pauses)) alike.push_back(pauses.front());
  }
  const std::size_t late = compared >= 8 ? 2 : 0;
  if (compared < 4 || alike.size() + late < compared) return std::nullopt;
  return fmt::format(
      "your waiters keep in step: {} of them were refused, and paused alike before they asked "
      "again ({} ms); who asks at the same moment again and again splits the votes of the servers "
      "every time, so a part of each pause has to be chance (Waiting::jitter)",
      all.size(), fmt::join(alike.begin(), alike.begin() + 3, ", "));
}

Says does_not_heed_stop(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const auto limit = call.asked.value("must_end_within_ms", 0LL);
    if (call.name != "acquire" || call.key != lock_key || limit == 0) continue;
    const auto stop = std::find_if(
        evidence.record().begin(), evidence.record().end(), [&](const faults::Event& event) {
          return event.is(faults::Kind::fault, call.client) && call.called < event.number &&
                 event.text("what") == faults::fault::terminated;
        });
    if (stop == evidence.record().end() || stop->number > call.answered) continue;
    const auto end = std::min(call.answered, evidence.record().size() - 1);
    const auto waited = evidence.ms(end) - evidence.ms(stop->number) -
                        evidence.stood_still_between(stop->number, end);
    if (waited < limit / 2) continue;
    const auto commands = evidence.of(call);
    const auto tries = std::count_if(commands.begin(), commands.end(), [&](const Sent* command) {
      return command->place > stop->number;
    });
    return fmt::format(
        "your waiter does not heed `stop`: {} was told to stop at {} ms, while it waited, and {} "
        "{} ms; pause() has to come back at once when stop is requested, and to return false from "
        "then on",
        call.client, evidence.ms(stop->number),
        tries > 1 ? fmt::format("asked {} times more, until", tries)
                  : std::string("did not come back before"),
        evidence.ms(end));
  }
  return std::nullopt;
}

}  // namespace learning::rules
