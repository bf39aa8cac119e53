#include "faults/judging/sent_command.h"

#include <algorithm>
#include <array>

namespace faults {
namespace {

// How many keys it has.
std::size_t number_of_keys(const SentCommand& command) {
  constexpr std::array two{"COPY", "RENAME", "RENAMENX", "SMOVE", "LMOVE", "RPOPLPUSH"};
  const auto at = command.place_of_keys();
  if (at >= command.words.size()) return 0;
  if (command.is_script()) return static_cast<std::size_t>(command.words[at - 1].front() - '0');
  return std::find(two.begin(), two.end(), command.name()) == two.end() ? 1 : 2;
}

// Is that word the wanted one? In a history a long one is shortened to its two ends.
bool may_be(std::string_view word, std::string_view wanted) {
  constexpr std::string_view cut = "…";
  const auto at = word.find(cut);
  if (at == std::string_view::npos) return word == wanted;
  return wanted.starts_with(word.substr(0, at)) && wanted.ends_with(word.substr(at + cut.size()));
}

}  // namespace

std::vector<std::string> words_of_command(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const auto to = std::min(text.find(' ', from), text.size());
    const bool no_script = words.size() == 1 && words.front().starts_with("EVAL");
    if (from < to || (!words.empty() && !no_script)) words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

bool SentCommand::in_flight_at(std::size_t at) const {
  if (at < place || settled <= at) return false;
  return std::none_of(stopped.begin(), stopped.end(),
                      [at](const auto& stop) { return stop.first <= at && at < stop.second; });
}

std::string SentCommand::name() const {
  return words.empty() ? "" : in_capitals(words.front());
}

bool SentCommand::is_script() const {
  return name().starts_with("EVAL") || name().starts_with("FCALL");
}

std::size_t SentCommand::place_of_keys() const {
  if (!is_script()) return 1;
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {  // after its text, or what is shown of it
    const auto& word = words[i];
    if (word.size() == 1 && '0' < word[0] && word[0] <= '9') return i + 1;
  }
  return words.size();
}

std::string SentCommand::key() const {
  const auto at = place_of_keys();
  return at < words.size() ? words[at] : "";
}

bool SentCommand::is_about(std::string_view wanted) const {
  const auto first = place_of_keys();
  const auto end = std::min(first + number_of_keys(*this), words.size());
  for (auto i = first; i < end; ++i) {
    if (may_be(words[i], wanted)) return true;
  }
  return false;
}

bool SentCommand::has_option(std::string_view option) const {
  return place_of_option(option) < words.size();
}

std::size_t SentCommand::place_of_option(std::string_view option) const {
  std::size_t at = name() == "SET" ? 3 : 1;
  while (at < words.size() && in_capitals(words[at]) != option) ++at;
  return at;
}

bool SentCommand::answers_what_was_there() const {
  return name() == "GETSET" || (name() == "SET" && has_option("GET"));
}

bool SentCommand::did(std::string_view effect) const {
  return std::find(effects.begin(), effects.end(), effect) != effects.end();
}

bool SentCommand::plainly_does(std::string_view effect) const {
  if (did(effect)) return false;
  if (effect == "set") return name() == "SET" || name() == "SETNX" || name() == "GETSET";
  if (effect == "incrby") return name().starts_with("INCR") || name().starts_with("DECR");
  if (effect == "expire") {
    // A SET does it after "set".
    const bool with_a_lease = has_option("PX") || has_option("EX");
    return name().ends_with("EXPIRE") || (with_a_lease && did("set"));
  }
  if (effect == "del") return name() == "DEL" || name() == "UNLINK";
  // HSETNX does "hset", and COPY "copy_to".
  return name().starts_with(in_capitals(std::string(effect.substr(0, effect.find('_')))));
}

}  // namespace faults
