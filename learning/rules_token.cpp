// Rules about the token that ties a lock to its holder.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {
namespace {

// The word under which an acquire took a key; empty if it has none.
std::string token_in(const Evidence& evidence, const Sent& command) {
  const auto* call = evidence.call_of(command);
  const bool takes = call != nullptr && call->name == "acquire" && command.wrote();
  return takes ? command.token() : std::string();
}

// A token that two clients have used.
std::string shared_token(const Evidence& evidence) {
  std::map<std::string, std::set<std::string>> users;
  for (const auto& command : evidence.sent) {
    const auto token = token_in(evidence, command);
    if (token.empty()) continue;
    users[token].insert(command.lane);
    if (users[token].size() > 1) return token;
  }
  return {};
}

// Does anything compare a token? Else the word beside the key is no token, and not the mistake.
bool compares(const Evidence& evidence) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
    const auto* call = evidence.call_of(command);
    const bool gives_back = call != nullptr && call->name == "release";
    return gives_back && (command.is_script() || command.name().ends_with("GET"));
  });
}

bool took_a_strangers(const Evidence& evidence) {
  return compares(evidence) && (evidence.broke(faults::Property::owner_only_release) ||
                                evidence.broke(faults::Property::owner_only_renewal) ||
                                evidence.broke(faults::Property::mutual_exclusion));
}

}  // namespace

Says token_is_thread_number(const Evidence& evidence) {
  const auto token = shared_token(evidence);
  if (!took_a_strangers(evidence) || !is_small_number(token)) return std::nullopt;
  return fmt::format(
      "your token names a thread, not a hold: two clients took the lock under \"{}\", so each "
      "takes the other's lock for its own; every process has a thread of that number",
      token);
}

Says token_shared(const Evidence& evidence) {
  const auto token = shared_token(evidence);
  if (!took_a_strangers(evidence) || token.empty()) return std::nullopt;
  return fmt::format(
      "your token is everybody's: two clients took the lock under \"{}\", so the comparison is "
      "true for a stranger's lock as well; every hold needs a token of its own, by chance",
      token);
}

Says token_per_process(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  std::map<std::string, std::set<std::string>> keys;  // by client and token
  for (const auto& command : evidence.sent) {
    const auto token = token_in(evidence, command);
    if (token.empty()) continue;
    // Of a time what goes by fast is not what it is known by.
    const auto name = may_be_a_time(token) ? token.substr(0, token.find("…")) : token;
    auto& taken = keys[command.lane + " " + name];
    taken.insert(command.key());
    if (taken.size() < 2) continue;
    return fmt::format(
        "your token does not name the hold: {} took two locks under {}, as what names a process, a "
        "thread or a moment does; a release or a renewal of an earlier hold that comes late then "
        "ends, or extends, a later one",
        command.lane, token);
  }
  return std::nullopt;
}

Says token_of_the_lock_object(const Evidence& evidence) {
  const auto taken_under = [&](const Call& call) {
    for (const auto* command : evidence.of(call)) {
      // A name that is cut in the middle may differ there.
      const auto token = token_in(evidence, *command);
      const auto cut = token.find("…");
      const bool is_whole = cut == std::string::npos || token.ends_with("…");
      if (!token.empty() && is_whole) return token;
    }
    return std::string();
  };
  const auto acquired = evidence.acquired();
  for (const auto* later : acquired) {
    if (later->asked.contains("join") || !another_thread_is_inside(evidence, *later)) continue;
    const auto token = taken_under(*later);
    for (const auto* earlier : acquired) {
      const bool is_before = earlier->lane == later->lane && earlier->answered < later->called &&
                             thread_of(*earlier) != thread_of(*later);
      if (token.empty() || !is_before || taken_under(*earlier) != token) continue;
      return fmt::format(
          "your token is not the hold's: threads {} and {} of {} asked under the same one, {}, so "
          "the second was let in as if it were the first; one that is made with the lock, or with "
          "the process, is shared by all who use it, so make one at each outermost acquire",
          thread_of(*earlier), thread_of(*later), later->lane, token);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
