// What the tests of the rules share. They are of rules that no lock in wrong_locks/ stands for, or
// only one: each speaks of a history with its mistake, and not of the same history without.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/judging/testing/history_builder.h"
#include "learning/rules/diagnosis.h"

namespace learning {

using Effects = std::vector<std::string>;

// A tale of clients that send commands, on the key "lock".
class Wire : public faults::HistoryBuilder {
 public:
  using faults::HistoryBuilder::HistoryBuilder;

  Wire& asks_to(const std::string& lane, const std::string& operation,
                nlohmann::json more = nlohmann::json::object()) {
    more["key"] = lock_key;
    call(lane, operation, more);
    return *this;
  }
  // `lane` sends a command, which has `effects` on the lock. Without a reply it is never answered.
  Wire& sends(const std::string& lane, const std::string& text, const Effects& effects,
              const std::string& reply = {}, const std::string& server = "redis") {
    add(lane, faults::Kind::command, {{"to", server}, {"text", text}});
    for (const auto& effect : effects) {
      add(server, faults::Kind::server, {{"what", effect}, {"key", lock_key}});
    }
    if (reply.empty()) return *this;
    const auto name = text.substr(0, text.find(' '));
    add(lane, faults::Kind::reply, {{"from", server}, {"command", name}, {"text", reply}});
    return *this;
  }
  Wire& is_told(const std::string& lane, const std::string& operation, const std::string& outcome) {
    answer(lane, operation, outcome);
    return *this;
  }
  // A whole acquire that goes as it should.
  Wire& takes(const std::string& lane, const std::string& token = "787b…",
              nlohmann::json more = nlohmann::json::object()) {
    return asks_to(lane, "acquire", std::move(more))
        .sends(lane, "SET lock " + token + " NX PX 300", {"set"}, "OK")
        .is_told(lane, "acquire", "acquired");
  }
  Wire& time_passes(int events) {
    for (int i = 0; i < events; ++i) add("D", faults::Kind::ready, nlohmann::json::object());
    return *this;
  }
  Wire& stops(const std::string& why) {
    add("", faults::Kind::not_exercised, {{"why", why}});
    return *this;
  }
};

inline const std::string as_renewal = "EVALSHA 704d… 1 lock 787b… 300";

// A renews a lease of 300 ms every `pause` events, 10 ms each.
[[nodiscard]] inline Wire renewed_every(int pause) {
  Wire tale;
  tale.takes("A");
  for (int i = 0; i < 3; ++i) {
    tale.time_passes(pause).sends("A", as_renewal, {"expire"}, "1");
  }
  return tale;
}

inline void answer_with_token(faults::HistoryBuilder& tale, const std::string& lane, int id,
                              int token) {
  tale.add(lane, faults::Kind::answer,
           {{"op", "acquire"}, {"id", id}, {"outcome", "acquired"}, {"fencing_token", token}});
}

// Does the rule `name` of `rules` apply to `tale`?
[[nodiscard]] inline bool speaks(std::span<const NamedRule> rules, std::string_view name,
                                 const faults::HistoryBuilder& tale) {
  for (const auto& rule : rules) {
    if (rule.key == name) return rule.says(Evidence(tale.record)).has_value();
  }
  throw std::invalid_argument("there is no such rule");
}

[[nodiscard]] inline bool is_said(std::string_view name, const faults::HistoryBuilder& tale) {
  return speaks(diagnoses(), name, tale);
}

[[nodiscard]] inline bool is_remarked(std::string_view name, const faults::HistoryBuilder& tale) {
  return speaks(remarks(), name, tale);
}

}  // namespace learning
