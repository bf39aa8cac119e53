#include "faults/explore/states/word_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace explore {

bool WordNames::is_named(std::string_view word) {
  constexpr std::size_t shortest = 8;
  return word.size() >= shortest && !std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isdigit(c) != 0;
         });
}

void WordNames::add(Named named) {
  const auto is_it = [&](const Named& other) { return other.word == named.word; };
  if (std::any_of(words_.begin(), words_.end(), is_it)) return;
  const auto is_shorter = [&](const Named& other) { return other.word.size() < named.word.size(); };
  words_.insert(std::find_if(words_.begin(), words_.end(), is_shorter), std::move(named));
}

void WordNames::add(const std::string& client, const std::vector<std::string>& words,
                    const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Which clients have used a script's digest depends on the age of their connections.
    const bool is_script = names.at(i).starts_with("script of ");
    add({.word = words[i], .client = is_script ? "the" : client, .name = names.at(i)});
  }
}

void WordNames::add_ended(const std::string& client, const std::vector<std::string>& words) {
  for (const auto& word : words) add({.word = word, .client = client + "'"});
}

std::string WordNames::name_of(Named& named) {
  if (named.name.empty()) named.name = std::to_string(++appeared_[named.client]);
  return fmt::format("\x01{} {}\x01", named.client, named.name);
}

std::string WordNames::in(std::string text) {
  for (std::size_t from = 0; from < text.size();) {
    auto first = text.size();
    Named* found = nullptr;
    for (auto& named : words_) {
      const auto at = text.find(named.word, from);
      if (at >= first) continue;  // of two at one place the longer is found first
      first = at;
      found = &named;
    }
    if (found == nullptr) return text;
    const auto name = name_of(*found);
    text.replace(first, found->word.size(), name);
    from = first + name.size();
  }
  return text;
}

}  // namespace explore
