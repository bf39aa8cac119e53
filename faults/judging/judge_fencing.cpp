#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults/judging/attribution.h"
#include "faults/judging/properties.h"

namespace faults {
namespace {

// An acquire that let its client in with a token.
struct Grant {
  const Operation* acquire = nullptr;
  long long token = 0;
  std::vector<const ServerHold*> holds;  // that it surely set, at most one on each server
};

std::optional<long long> token_in(const nlohmann::json& answer) {
  const auto token = answer.find("fencing_token");
  if (token == answer.end() || !token->is_number_integer()) return std::nullopt;
  return token->get<long long>();
}

// The last hold on each server that `acquire` may have set, where no other client may have.
std::vector<const ServerHold*> holds_set_by(const Trace& trace, const Operation& acquire) {
  std::map<std::string, const ServerHold*> last;  // by server; null: that is not known
  for (const auto& hold : trace.holds) {
    if (!acquire.open_at(hold.from)) continue;
    const auto setters = possible_setters(trace, hold);
    if (!setters.contains(acquire.client)) continue;
    last[trace.node_of(hold.server)] = setters.size() == 1 ? &hold : nullptr;
  }
  std::vector<const ServerHold*> known;
  for (const auto& [server, hold] : last) {
    if (hold != nullptr) known.push_back(hold);
  }
  return known;
}

std::vector<Grant> grants_of(const Trace& trace) {
  std::vector<Grant> grants;
  for (const auto& operation : trace.operations) {
    const auto token = token_in(operation.answer);
    const bool joins = operation.asked.contains("join");
    if (!operation.is("acquire", "acquired") || joins || !token) continue;
    grants.push_back({&operation, *token, holds_set_by(trace, operation)});
  }
  return grants;
}

// True if the client of `acquire` may be inside when it asks, and so re-enter its own hold. A
// release without a known outcome may not have ended the hold.
bool may_reenter(const Trace& trace, const Operation& acquire) {
  long inside = 0;
  for (const auto& operation : trace.operations) {
    if (operation.client != acquire.client || operation.called >= acquire.called) continue;
    if (operation.is("acquire", "acquired")) ++inside;
    const bool leaves = operation.name == "release" || operation.outcome == "abandoned";
    const bool has_left = operation.outcome != "unknown" && operation.outcome != "error";
    if (leaves && has_left && operation.answered < acquire.called) --inside;
  }
  return inside > 0;
}

// Did the hold of `earlier` end before that of `later` began, on every server that both stood on,
// and on all its servers before that of `later` was complete?
bool is_before_on_servers(const Trace& trace, const Grant& earlier, const Grant& later) {
  bool both_stood = false;
  std::size_t complete = 0;
  for (const auto* second : later.holds) complete = std::max(complete, second->from);
  for (const auto* first : earlier.holds) {
    if (first->to > complete) return false;
    for (const auto* second : later.holds) {
      if (trace.node_of(first->server) != trace.node_of(second->server)) continue;
      if (first->to > second->from) return false;
      both_stood = true;
    }
  }
  return both_stood;
}

// Is it known that `later` came into the lock after `earlier`?
bool is_before(const Trace& trace, const Grant& earlier, const Grant& later) {
  if (earlier.acquire->answered < later.acquire->called) return true;
  if (later.acquire->answered < earlier.acquire->called) return false;
  return is_before_on_servers(trace, earlier, later);
}

Finding say(const Grant& one, const Grant& other, std::string sentence) {
  return {.property = Property::rising_tokens,
          .sentence = std::move(sentence),
          .evidence = {one.acquire->answered, other.acquire->answered}};
}

// Returns what is wrong with the tokens of two grants; `one` was asked for first.
std::optional<Finding> judge_pair(const Trace& trace, const Grant& one, const Grant& other) {
  const bool is_same_client = one.acquire->client == other.acquire->client;
  if (one.token == other.token && !(is_same_client && may_reenter(trace, *other.acquire))) {
    return say(one, other,
               fmt::format("{} and {} both got the token {}", one.acquire->client,
                           is_same_client ? "its next hold" : other.acquire->client, one.token));
  }
  const bool is_swapped = is_before(trace, other, one);
  if (!is_swapped && !is_before(trace, one, other)) return std::nullopt;
  const auto& earlier = is_swapped ? other : one;
  const auto& later = is_swapped ? one : other;
  if (earlier.token <= later.token) return std::nullopt;
  return say(earlier, later,
             fmt::format("{} had the lock after {}, and its token {} is below {}'s {}",
                         later.acquire->client, earlier.acquire->client, later.token,
                         earlier.acquire->client, earlier.token));
}

// The grant by which the client of `refused` surely has the lock then; null: there is none.
const Grant* lawful(const Trace& trace, const std::vector<Grant>& grants, const Event& refused) {
  const auto place = refused.number;
  for (const auto& grant : grants) {
    const auto& client = grant.acquire->client;
    const bool is_its = client == refused.process && grant.acquire->answered < place;
    if (!is_its || !trace.claims(client, place)) continue;
    const auto there = std::count_if(grant.holds.begin(), grant.holds.end(),
                                     [&](const auto* hold) { return hold->exists_at(place); });
    const bool is_by_majority = static_cast<std::size_t>(there) >= trace.majority();
    if (is_by_majority && refused.data.value("token", grant.token + 1) == grant.token) {
      return &grant;
    }
  }
  return nullptr;
}

std::vector<Finding> refused_holders(const Trace& trace, const std::vector<Grant>& grants) {
  std::vector<Finding> findings;
  for (const auto& event : trace.events) {
    if (event.kind != Kind::storage || event.data.value("accepted", true)) continue;
    const auto* grant = lawful(trace, grants, event);
    if (grant == nullptr) continue;
    findings.push_back(
        {.property = Property::rising_tokens,
         .sentence =
             fmt::format("{} had the lock at {} ms, and the storage refused its {}: it had "
                         "seen a token above {}",
                         event.process, trace.ms(event.number), event.text("what"), grant->token),
         .evidence = {grant->acquire->answered, event.number}});
  }
  return findings;
}

}  // namespace

bool hands_out_tokens(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(), [](const auto& operation) {
    return operation.is("acquire", "acquired") && token_in(operation.answer).has_value();
  });
}

std::vector<Finding> judge_rising_tokens(const Trace& trace) {
  const auto grants = grants_of(trace);
  std::vector<Finding> findings;
  for (std::size_t later = 0; later < grants.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      auto found = judge_pair(trace, grants[earlier], grants[later]);
      if (found) findings.push_back(std::move(*found));
    }
  }
  const auto refused = refused_holders(trace, grants);
  findings.insert(findings.end(), refused.begin(), refused.end());
  return findings;
}

}  // namespace faults
