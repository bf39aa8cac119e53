#include "tools/learning/mistakes/sent.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <system_error>

#include "faults/judging/net_effects.h"

namespace learning {
namespace {

// The number that `text` begins with.
std::optional<long long> as_number(std::string_view text) {
  long long number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::string Sent::script() const {
  return name() == "EVALSHA" && words.size() > 1 ? words[1] : std::string{};
}

std::vector<std::string> Sent::arguments() const {
  auto first = place_of_keys();
  if (first >= words.size()) return {};
  first += is_script() ? static_cast<std::size_t>(*as_number(words[first - 1])) : 1;
  if (first >= words.size()) return {};
  return {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()};
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string Sent::token() const {
  const auto all = arguments();
  if (all.empty()) return {};
  const auto found =
      is_script() ? std::find_if_not(all.begin(), all.end(), is_number) : all.begin();
  return found == all.end() ? all.front() : *found;
}

std::optional<long long> Sent::number_after_key() const {
  const auto all = arguments();
  return all.empty() ? std::nullopt : as_number(all.front());
}

std::optional<long long> Sent::number_of_option(std::string_view option) const {
  const auto at = place_of_option(option);
  return at + 1 < words.size() ? as_number(words[at + 1]) : std::nullopt;
}

bool Sent::wrote() const {
  return std::any_of(effects.begin(), effects.end(), [this](const std::string& effect) {
    const bool counts = effect == "incrby" && counts_down();
    return faults::writes_key(effect) && effect != "hincrby" && !counts;
  });
}

bool Sent::looks() const {
  constexpr std::array<std::string_view, 7> asks{"GET",  "EXISTS",  "TTL",    "PTTL",
                                                 "HGET", "HGETALL", "HEXISTS"};
  return effects.empty() && std::find(asks.begin(), asks.end(), name()) != asks.end();
}

bool Sent::counts_up() const {
  return (name() == "INCR" || name() == "INCRBY") && !counts_down();
}

bool Sent::counts_down() const {
  const bool adds_less = name() == "INCRBY" && number_after_key() < 0;
  return name() == "DECR" || name() == "DECRBY" || adds_less;
}

bool Sent::said_yes() const {
  if (counts_down()) return false;
  if (answers_what_was_there()) return reply == "nil";
  if (name() == "SETBIT") return reply == "0";
  return reply == "OK" || (counts_up() ? number() == 1 : number() > 0);
}

bool Sent::said_no() const {
  if (counts_down()) return false;
  if (answers_what_was_there()) return !reply.empty() && reply != "nil" && !was_refused();
  if (name() == "SETBIT") return reply == "1";
  return reply == "nil" || (number() && (*number() <= 0 || (counts_up() && *number() > 1)));
}

bool Sent::was_refused() const {
  return reply.starts_with("error ");
}

std::optional<long long> Sent::number() const {
  const auto digits = reply.find_first_not_of("0123456789", reply.starts_with('-') ? 1 : 0);
  const bool is_whole = digits == std::string::npos || reply[digits] == ' ' || reply[digits] == ',';
  return is_whole ? as_number(reply) : std::nullopt;
}

}  // namespace learning
