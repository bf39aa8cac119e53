#include "faults/explore/coverage/script_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace explore {
namespace {

bool is_hexadecimal(char letter) {
  return letter == '-' || std::isxdigit(static_cast<unsigned char>(letter)) != 0;
}

// True for a number that was drawn by chance. One of decimal digits is a time, or a count.
bool is_drawn(std::string_view word) {
  constexpr std::size_t shortest = 16;
  return word.size() >= shortest && std::any_of(word.begin(), word.end(), [](unsigned char letter) {
           return std::isalpha(letter) != 0;
         });
}

// The text with each number that was drawn named by the place where it appears first; but for those
// that the script itself names.
std::string with_names(std::string_view text, const std::string& script) {
  std::map<std::string, std::size_t> names;
  std::string named;
  for (std::size_t at = 0; at < text.size();) {
    const auto end =
        static_cast<std::size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.end(), is_hexadecimal) -
                                 text.begin());
    const std::string word(text.substr(at, end - at));
    if (is_drawn(word) && script.find(word) == std::string::npos) {
      named += fmt::format("#{}#", names.try_emplace(word, names.size() + 1).first->second);
    } else {
      named += word;
    }
    if (end < text.size()) named += text[end];
    at = end + 1;
  }
  return named;
}

// Each word with its length: so no two calls have one text.
void append(std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words) text += fmt::format("{}:{} ", word.size(), word);
  text += "\n";
}

std::string text_of(const ScriptCall& call) {
  std::string text;
  append(text, call.keys);
  append(text, call.arguments);
  for (const auto& key : call.before) {
    append(text, {key.name, key.type, std::to_string(key.ms_left)});
    append(text, key.parts);
  }
  return text;
}

}  // namespace

void ScriptCalls::add(const std::string& name, const std::string& text, ScriptCall call) {
  const std::lock_guard guard(mutex_);
  auto script = std::find_if(scripts_.begin(), scripts_.end(),
                             [&](const Script& one) { return one.text == text; });
  if (script == scripts_.end()) {
    scripts_.push_back({.name = name, .text = text});
    script = scripts_.end() - 1;
  }
  ++script->calls;
  call.script = static_cast<std::size_t>(script - scripts_.begin());
  auto what = fmt::format("{}\n{}", call.script, with_names(text_of(call), text));
  if (known_.contains(what)) return;
  is_full_ = is_full_ || calls_.size() >= most;
  if (is_full_) return;
  known_.insert(std::move(what));
  calls_.push_back(std::move(call));
}

}  // namespace explore
