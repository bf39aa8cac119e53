// Rules about an acquire that comes to nothing: how often it tries, whether it leaves alone what is
// somebody else's, and how it takes back what it may have got.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {

Says tries_again_by_itself(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool asks_once = call.asked.value("wait_ms", 0LL) == 0 && !call.asked.contains("tries");
    if (call.name != "acquire" || call.key != lock_key || !asks_once) continue;
    std::map<std::pair<std::string, std::string>, int> refused;  // by server, and what is asked
    for (const auto* command : evidence.of(call)) {
      const auto* hold = evidence.held_at(command->server, command->place);
      const bool anothers = hold != nullptr && hold->owner != call.client;
      const bool takes = command->is_script() || command->name().starts_with("SET");
      if (!takes || !anothers || !command->said_no() || command->number() == 0) continue;
      constexpr int many = 3;
      const auto kind = command->is_script() ? command->script() : command->name();
      if (++refused[{command->server, kind}] < many) continue;
      return fmt::format(
          "your acquire tries again by itself: {} wanted to ask once, at {} ms, and {} was asked "
          "for somebody else's lock {} times; whether and how long one waits is for the caller to "
          "say, so a try is one try",
          call.client, evidence.ms(call.called), command->server, many);
    }
  }
  return std::nullopt;
}

Says contender_extends(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || !only_leases(command)) continue;
    const auto* before = next_of(evidence, command, -1);
    if (before == nullptr || !before->said_no() || !command.said_yes()) continue;
    return fmt::format(
        "your acquire sets the lease also when it was refused: {} answered {}, and {} followed all "
        "the same; whoever waits keeps a dead holder's lock alive",
        before->name(), before->reply, command.name());
  }
  return std::nullopt;
}

// Where releases compare and delete in one step.
Says takes_back_in_two_steps(const Evidence& evidence) {
  const bool knows_better =
      std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
        const auto* call = evidence.call_of(command);
        return call != nullptr && call->name == "release" && command.is_script() &&
               command.did("del");
      });
  if (!knows_better) return std::nullopt;
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || command.name() != "DEL") continue;
    const auto* before = next_of(evidence, command, -1);
    if (before == nullptr || before->name() != "GET") continue;
    if (before->reply != evidence.token_of(command.client, command.place)) continue;
    return fmt::format(
        "your acquire takes back in two steps: at {} ms it sent GET, compared what it was "
        "answered, and then sent DEL; between the two the lease can run out and somebody else get "
        "in, as in a release, so use what your release uses",
        evidence.ms(before->place));
  }
  return std::nullopt;
}

Says take_back_not_awaited(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("acquire", "contended")) continue;
    std::map<std::string, const Sent*> given;  // by server, its yes
    std::size_t unheard = 0;
    for (const auto* command : evidence.of(call)) {
      if (command->said_yes() && command->wrote() && command->heard < call.answered) {
        given[command->server] = command;
      } else if (given.contains(command->server) && command->did("del")) {
        // Who hears the yes only after that has not known what there is to wait for.
        const auto yes = given[command->server]->heard;
        const bool knew = yes < command->place && evidence.ms(command->place) > evidence.ms(yes);
        // One that is held up, or lost, is another matter.
        const bool late = command->heard == command->answered && command->heard > call.answered &&
                          command->heard != faults::never;
        unheard += knew && late ? 1 : 0;
        given.erase(command->server);
      }
    }
    if (unheard == 0) continue;
    return fmt::format(
        "your acquire does not wait until it has taken back: {} was told \"contended\" at {} ms, "
        "and {} of the servers that had said yes to it answered only then that they had removed "
        "that; who asks next is refused for a lock that nobody has",
        call.client, evidence.ms(call.answered), unheard);
  }
  return std::nullopt;
}

}  // namespace learning::rules
