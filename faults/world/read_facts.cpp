#include "faults/world/read_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "faults/kit/other_servers/other_server.h"

namespace faults {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// The word under `field`; the first of `words` if it is missing. Throws std::runtime_error.
std::string one_of_words(const json& object, const char* field,
                         const std::vector<std::string>& words) {
  const auto word = object.value(field, words.front());
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  throw std::runtime_error(fmt::format("\"{}\" cannot be \"{}\"", field, word));
}

// The time under `field`; none if it is null or missing. Throws std::runtime_error.
std::optional<milliseconds> time_of(const json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::nullopt;
  const milliseconds time(found->get<long>());
  if (time >= milliseconds(0)) return time;
  throw std::runtime_error(fmt::format("\"{}\" cannot be below 0", field));
}

LockFacts::Renewal renewal_in(const json& object) {
  LockFacts::Renewal renewal{.after = {},
                             .before_end = milliseconds(object.value("before_end_ms", 0)),
                             .shortest_lease = milliseconds(object.value("shortest_lease_ms", 1)),
                             .by_user = one_of_words(object, "by", {"library", "user"}) == "user"};
  if (object.contains("after")) renewal.after = object["after"].get<double>();
  if (!renewal.after && renewal.before_end.count() == 0) {
    throw std::runtime_error("\"renewal\" needs \"after\" or \"before_end_ms\"");
  }
  if (renewal.after && (*renewal.after <= 0 || *renewal.after >= 1)) {
    throw std::runtime_error("\"after\" is a part of the lease, between 0 and 1");
  }
  return renewal;
}

milliseconds retry_from(const json& waiting) {
  const milliseconds retry(waiting.value("every_ms", 0) + waiting.value("jitter_ms", 0));
  if (retry >= milliseconds(0) && retry <= LockFacts::longest_retry) return retry;
  throw std::runtime_error(fmt::format(
      "a waiter that asks every {} ms cannot be waited for: \"every_ms\" and \"jitter_ms\" are "
      "{} at most",
      retry.count(), LockFacts::longest_retry.count()));
}

// The passages under `field`, by scenario.
std::map<std::string, Passage> passages_from(const json& object, const char* field) {
  std::map<std::string, Passage> passages;
  for (const auto& entry : object.value(field, json::array())) {
    for (const auto& scenario : entry.at("scenarios")) {
      passages[scenario] = {.says = entry.at("says"), .where = entry.at("where")};
    }
  }
  return passages;
}

void read_waiting(const json& waiting, LockFacts& facts) {
  facts.waiting = one_of_words(waiting, "how", {"polls", "notified", "none"});
  facts.retry = retry_from(waiting);
  facts.waiting_ends = one_of_words(waiting, "ends", {"time", "tries", "never"});
  facts.wait_step = milliseconds(waiting.value("every_ms", 0));
  if (facts.waiting_ends == "tries" && facts.wait_step.count() == 0) {
    throw std::runtime_error("a waiter that ends after a number of tries needs \"every_ms\"");
  }
}

void read_lease(const json& lease, LockFacts& facts) {
  facts.granularity = milliseconds(std::max(1, lease.value("granularity_ms", 1)));
  facts.shortest_lease = milliseconds(std::max(1, lease.value("shortest_ms", 1)));
  facts.default_lease = time_of(lease, "default_ms");
  facts.users_longest_lease = time_of(lease, "longest_ms");
}

Unanswered unanswered_from(const json& object) {
  Unanswered unanswered{
      .after = time_of(object, "after_ms").value_or(Unanswered::never),
      .lease_part = object.value("lease_part", 0.0),
      .tries = object.value("tries", 1),
      .pause = milliseconds(object.value("every_ms", 0) + object.value("jitter_ms", 0)),
      .gone_after = {},
      .in_turn = object.value("in_turn", false),
      .only_renewals_again = one_of_words(object, "again", {"all", "renewals"}) == "renewals"};
  if (object.contains("gone_after_ms")) {
    unanswered.gone_after = time_of(object, "gone_after_ms").value_or(Unanswered::never);
  }
  if (unanswered.lease_part < 0 || unanswered.lease_part > 1) {
    throw std::runtime_error("\"lease_part\" is a part of the lease, between 0 and 1");
  }
  if (unanswered.tries < 1) throw std::runtime_error("\"tries\" is a number above 0");
  return unanswered;
}

}  // namespace

json part_of(const json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? json::object() : *found;
}

std::vector<std::string> words_of(const json& object, const char* field) {
  return object.value(field, std::vector<std::string>{});
}

std::string difference_from(const LockFacts& facts, const json& hello) {
  const std::set<std::string> declared(facts.capabilities.begin(), facts.capabilities.end());
  const auto words = words_of(hello, "capabilities");
  const std::set<std::string> said(words.begin(), words.end());
  std::vector<std::string> only;
  std::set_difference(said.begin(), said.end(), declared.begin(), declared.end(),
                      std::back_inserter(only));
  const auto in_hello = only;
  only.clear();
  std::set_difference(declared.begin(), declared.end(), said.begin(), said.end(),
                      std::back_inserter(only));
  const auto part = [](const char* where, const std::vector<std::string>& which) {
    return which.empty() ? "" : fmt::format("; only {} says {}", where, fmt::join(which, ", "));
  };
  if (in_hello.empty() && only.empty()) return {};
  return "hello and lock.json disagree on the capabilities" + part("hello", in_hello) +
         part("lock.json", only);
}

LockFacts facts_in(const json& object) {
  LockFacts facts;
  facts.version = object.value("version", std::string());
  facts.capabilities = words_of(object, "capabilities");
  facts.type = object.value("type", std::string("string"));
  if (facts.type != "none" && object.contains("key")) facts.key = object["key"];
  read_lease(part_of(object, "lease"), facts);
  const auto renewal = part_of(object, "renewal");
  if (!renewal.empty()) facts.renewal = renewal_in(renewal);
  read_waiting(part_of(object, "waiting"), facts);
  const auto loss = part_of(object, "loss");
  facts.loss = one_of_words(loss, "how", {"never", "told", "asked"});
  facts.told_late = time_of(loss, "late_ms").value_or(milliseconds(0));
  const auto unanswered = part_of(object, "unanswered");
  if (!unanswered.empty()) facts.unanswered = unanswered_from(unanswered);
  auto servers = other_server_kinds();
  servers.insert(servers.begin(), "redis");
  facts.server = one_of_words(object, "server", servers);
  facts.documented = passages_from(object, "documented");
  facts.because = passages_from(object, "because");
  facts.settings = words_of(object, "settings");
  facts.not_judged = part_of(object, "not_judged").get<std::map<std::string, std::string>>();
  std::erase_if(facts.not_judged, [](const auto& each) { return each.second.empty(); });
  facts.acquire_says = words_of(object, "acquire_says");
  facts.release_says = words_of(object, "release_says");
  return facts;
}

}  // namespace faults
