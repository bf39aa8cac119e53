#include "faults/judging/sent_command.h"

#include <algorithm>

namespace faults {

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
  constexpr std::string_view cut = "…";
  const auto word = key();
  const auto at = word.find(cut);
  if (at == std::string::npos) return word == wanted;
  return wanted.starts_with(word.substr(0, at)) && wanted.ends_with(word.substr(at + cut.size()));
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
  return effect == "del" && (name() == "DEL" || name() == "UNLINK");
}

}  // namespace faults
