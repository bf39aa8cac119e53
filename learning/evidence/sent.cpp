#include "learning/evidence/sent.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

namespace learning {
namespace {

// The number that `text` begins with.
std::optional<long long> as_number(std::string_view text) {
  long long number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Where the number of keys stands in a script's words: after its text, or what is shown of it.
std::size_t count_place(const std::vector<std::string>& words) {
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    const auto& word = words[i];
    if (word.size() == 1 && '0' < word[0] && word[0] <= '9') return i;
  }
  return words.size();
}

}  // namespace

std::string Sent::name() const {
  return words.empty() ? "" : in_capitals(words.front());
}

bool Sent::is_script() const {
  return name().starts_with("EVAL") || name().starts_with("FCALL");
}

std::string Sent::script() const {
  return name() == "EVALSHA" && words.size() > 1 ? words[1] : std::string{};
}

std::string Sent::key() const {
  const auto at = is_script() ? count_place(words) + 1 : 1;
  return at < words.size() ? words[at] : "";
}

std::vector<std::string> Sent::keys() const {
  const auto at = is_script() ? count_place(words) + 1 : 1;
  const auto rest = arguments().size();
  if (at + rest >= words.size()) return {};
  return {words.begin() + static_cast<std::ptrdiff_t>(at),
          words.end() - static_cast<std::ptrdiff_t>(rest)};
}

std::vector<std::string> Sent::arguments() const {
  std::size_t first = 2;
  if (is_script()) {
    const auto at = count_place(words);
    if (at == words.size()) return {};
    first = at + 1 + static_cast<std::size_t>(*as_number(words[at]));
  }
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

bool Sent::has(std::string_view word) const {
  return std::any_of(words.begin(), words.end(),
                     [word](const std::string& text) { return in_capitals(text) == word; });
}

bool Sent::has_option(std::string_view option) const {
  return place_of_option(option) < words.size();
}

std::size_t Sent::place_of_option(std::string_view option) const {
  std::size_t at = name() == "SET" ? 3 : 1;
  while (at < words.size() && in_capitals(words[at]) != option) ++at;
  return at;
}

bool Sent::did(std::string_view effect) const {
  return std::find(effects.begin(), effects.end(), effect) != effects.end();
}

bool Sent::answers_what_was_there() const {
  return name() == "GETSET" || (name() == "SET" && has_option("GET"));
}

bool Sent::said_yes() const {
  if (answers_what_was_there()) return reply == "nil";
  return reply == "OK" || number() > 0;
}

bool Sent::said_no() const {
  if (answers_what_was_there()) return !reply.empty() && reply != "nil" && !was_refused();
  return reply == "nil" || (number() && *number() <= 0);
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
