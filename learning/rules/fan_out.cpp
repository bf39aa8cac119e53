// Rules about asking several servers: how the questions go out, and what is taken back.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// Does a server that told `giving` of no lock have one of its sender's all the same, that came
// after it was sent? What it wrote when cannot be told apart: two connections tell of it in any
// order.
bool comes_after(const Evidence& evidence, const Sent& giving) {
  const auto is_asked_anew_before = [&](std::size_t place) {
    return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
      return other.client == giving.client && other.server == giving.server &&
             other.place > giving.place && other.place < place && other.script() != giving.script();
    });
  };
  return std::any_of(evidence.trace.holds.begin(), evidence.trace.holds.end(),
                     [&](const auto& hold) {
                       return hold.server == giving.server && hold.may_be_of(giving.client) &&
                              hold.to > giving.answered && hold.from > giving.place &&
                              !is_asked_anew_before(hold.from);
                     });
}

// Was its client stopped while it asked? Then it asked late.
bool is_stopped_in(const Evidence& evidence, const Call& call) {
  return count_faults(evidence, faults::fault::frozen, call.called, call.answered, call.client) > 0;
}

}  // namespace

Says take_back_overtakes(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& asking : evidence.sent) {
    const auto* call = evidence.call_of(asking);
    const bool got_it = call != nullptr && call->name == "acquire" && asking.said_yes();
    if (!got_it || asking.key() != lock_key) continue;
    for (const auto& giving : evidence.sent) {
      const auto* its = evidence.call_of(giving);
      const bool follows = its != nullptr && (its == call || its->name == "release") &&
                           giving.client == asking.client && giving.server == asking.server &&
                           giving.place > asking.place && giving.token() == asking.token();
      const bool is_in_vain = giving.script() != asking.script() && giving.number() == 0;
      // Carried out in the order in which they were sent, it would have found what was asked for.
      if (!follows || !is_in_vain || asking.answered < giving.place) continue;
      if (!comes_after(evidence, giving)) continue;
      return fmt::format(
          "what takes back overtook what it takes back: {} carried out what {} sent at {} ms to "
          "give its vote back before the question that it had sent at {} ms, so the vote stays; "
          "two connections keep no order, and one does",
          asking.server, asking.client, evidence.ms(giving.place), evidence.ms(asking.place));
    }
  }
  return std::nullopt;
}

Says asks_one_after_another(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(faults::Property::liveness)) {
    return std::nullopt;
  }
  // Who sends to all at once has long done so by then, also on a busy machine; once it may be late.
  constexpr long long long_wait = 30;
  constexpr long long very_long_wait = 300;
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key || is_stopped_in(evidence, call)) continue;
    auto commands = evidence.of(call);
    std::erase_if(commands, [](const Sent* command) { return command->key() != lock_key; });
    std::set<std::string> asked;
    int waits = 0;
    for (std::size_t i = 0; i + 1 < commands.size(); ++i) {
      const auto& before = *commands[i];
      const auto& next = *commands[i + 1];
      asked.insert(before.server);
      // It has been round, or is taking back.
      if (asked.contains(next.server) || next.token() != before.token()) break;
      const auto waited = evidence.ms(next.place) - evidence.ms(before.place);
      const bool in_vain = before.heard > next.place;
      const bool by_itself = evidence.stood_still_between(before.place, next.place) < waited / 2;
      if (waited < long_wait || !in_vain || !by_itself) continue;
      if (++waits < 2 && waited < very_long_wait) continue;
      return fmt::format(
          "your acquire asks one server after the other: {} sent its question to {} at {} ms, and "
          "to {} only at {} ms; each server that is silent costs its whole time-out, and the lease "
          "runs meanwhile, so send to all of them first, and listen then",
          call.client, before.server, evidence.ms(before.place), next.server,
          evidence.ms(next.place));
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
