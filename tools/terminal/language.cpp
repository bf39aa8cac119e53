#include "tools/terminal/language.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>

#include "faults/kit/errors.h"
#include "terminal_texts.h"
#include "tools/terminal/timeline_row.h"

namespace terminal {
namespace {

constexpr std::string_view gap = "{}";
constexpr std::string_view of_a_lane = "lane: ";
constexpr std::string_view cut = "…";

// The texts around each gap of `pattern`.
std::vector<std::string> literals_of(const std::string& pattern) {
  std::vector<std::string> literals;
  std::size_t from = 0;
  for (auto at = pattern.find(gap); at != std::string::npos; at = pattern.find(gap, from)) {
    literals.push_back(pattern.substr(from, at - from));
    from = at + gap.size();
  }
  literals.push_back(pattern.substr(from));
  return literals;
}

// `translation` of a text of `parts` parts, with a number in each gap. What is in "quotes" was
// typed, and stays as it is.
std::string numbered(std::string translation, std::size_t parts) {
  std::size_t gap_number = 0;
  for (auto at = translation.find(gap); at != std::string::npos; at = translation.find(gap, at)) {
    const bool is_quoted =
        at > 0 && translation[at - 1] == '"' && translation.compare(at + gap.size(), 1, "\"") == 0;
    const auto number = std::to_string(gap_number++ + (is_quoted ? parts : 0));
    translation.insert(at + 1, number);
    at += number.size() + gap.size();
  }
  return translation;
}

// The words in the gaps of `text`; nothing if it is not of that pattern.
std::optional<std::vector<std::string_view>> parts_of(std::string_view text,
                                                      const std::vector<std::string>& literals) {
  if (!text.starts_with(literals.front())) return std::nullopt;
  text.remove_prefix(literals.front().size());
  std::vector<std::string_view> parts;
  for (std::size_t i = 1; i < literals.size(); ++i) {
    const bool is_last = i + 1 == literals.size();
    if (is_last && !text.ends_with(literals[i])) return std::nullopt;
    const auto at = is_last ? text.size() - literals[i].size() : text.find(literals[i]);
    if (at == std::string_view::npos) return std::nullopt;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + literals[i].size());
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

// A text without the blanks and the colours around it.
struct Bare {
  std::string_view before;
  std::string_view text;
  std::string_view after;
};

std::size_t length_of_colour_at(std::string_view text) {
  return text.starts_with("\x1b[") ? text.find('m') + 1 : 0;
}

Bare bare(std::string_view text) {
  std::size_t from = 0;
  while (from < text.size()) {
    const auto colour = length_of_colour_at(text.substr(from));
    if (colour == 0 && text[from] != ' ') break;
    from += std::max<std::size_t>(colour, 1);
  }
  const auto colour = text.rfind("\x1b[");
  const bool ends_in_colour = colour != std::string_view::npos && colour >= from &&
                              colour + length_of_colour_at(text.substr(colour)) == text.size();
  const auto to = ends_in_colour ? colour : text.size();
  return {text.substr(0, from), text.substr(from, to - from), text.substr(to)};
}

// True if `text` is `whole`, cut off for want of room.
bool is_beginning(std::string_view text, std::string_view whole) {
  return text.ends_with(cut) && whole.starts_with(text.substr(0, text.size() - cut.size()));
}

// A few words, such as a property or an option; not what a compiler or a server says.
bool is_list_item(std::string_view text) {
  const auto is_plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view(" _-./+=:").find(static_cast<char>(letter)) != std::string_view::npos;
  };
  return std::count(text.begin(), text.end(), ' ') <= 2 &&
         std::all_of(text.begin(), text.end(), is_plain);
}

// The items of a list, "a, b", as `say` puts each. What is no list stays as it is.
template <typename Say>
std::string said_list(std::string_view list, const std::string& comma_of_language, const Say& say) {
  constexpr std::string_view comma = ", ";
  std::string text;
  for (auto rest = list;;) {
    const auto at = std::min(rest.find(comma), rest.size());
    if (!is_list_item(rest.substr(0, at))) return std::string(list);
    text += say(rest.substr(0, at));
    if (at == rest.size()) return text;
    text += comma_of_language;
    rest.remove_prefix(at + comma.size());
  }
}

}  // namespace

Language Language::named(std::string_view name) {
  if (name.starts_with("zh")) return of_catalogue(texts::zh);
  if (name.starts_with("en")) return {};
  throw faults::CannotRun(fmt::format("the lab does not speak \"{}\": --lang en, or zh", name));
}

Language Language::of_environment() {
  for (const auto* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* locale = std::getenv(variable);
    if (locale == nullptr || *locale == '\0') continue;
    return std::string_view(locale).starts_with("zh") ? named("zh") : Language();
  }
  return {};
}

Language Language::of_catalogue(std::string_view json) {
  Language language;
  language.catalogue_ = json;
  const auto texts = nlohmann::json::parse(json);
  for (const auto& [english, translation] : texts.items()) {
    const bool is_lane = english.starts_with(of_a_lane);
    auto& patterns = is_lane ? language.lanes_ : language.patterns_;
    auto literals = literals_of(is_lane ? english.substr(of_a_lane.size()) : english);
    const auto parts = literals.size() - 1;
    patterns.push_back({std::move(literals), numbered(translation.get<std::string>(), parts)});
  }
  const auto length = [](const Pattern& pattern) {
    return std::accumulate(
        pattern.literals.begin(), pattern.literals.end(), std::size_t{0},
        [](std::size_t sum, const std::string& literal) { return sum + literal.size(); });
  };
  for (auto* patterns : {&language.patterns_, &language.lanes_}) {
    std::sort(patterns->begin(), patterns->end(), [&](const Pattern& one, const Pattern& other) {
      return length(one) > length(other);
    });
  }
  return language;
}

std::string Language::operator()(std::string_view text) const {
  if (patterns_.empty()) return std::string(text);
  std::istringstream lines{std::string(text)};
  std::string translated;
  for (std::string english; std::getline(lines, english);) translated += line(english) + '\n';
  if (!text.ends_with('\n') && !translated.empty()) translated.pop_back();
  return translated;
}

std::string Language::line(std::string_view english) const {
  auto translated = sentence(english);
  if (translated != english || !is_timeline_row(english)) return translated;
  return with_lanes(english, [this](std::string_view text) { return lane(text); });
}

std::string Language::lane(std::string_view text) const {
  const auto [before, english, after] = bare(text);
  std::vector<const Pattern*> longer;  // of which `english` may be the beginning
  for (const auto& pattern : lanes_) {
    if (const auto parts = parts_of(english, pattern.literals)) {
      return fmt::format("{}{}{}", before, filled(pattern.translation, *parts), after);
    }
    const bool is_whole = pattern.literals.size() == 1;
    if (is_whole && is_beginning(english, pattern.literals[0])) longer.push_back(&pattern);
  }
  if (longer.size() != 1) return std::string(text);
  return fmt::format("{}{}{}", before, longer.front()->translation, after);
}

std::string Language::sentence(std::string_view english) const {
  const auto [before, text, after] = bare(english);
  for (const auto& pattern : patterns_) {
    const auto parts = parts_of(text, pattern.literals);
    if (!parts) continue;
    return fmt::format("{}{}{}", before, filled(pattern.translation, *parts), after);
  }
  return std::string(english);
}

std::string Language::filled(const std::string& translation,
                             const std::vector<std::string_view>& parts) const {
  if (parts.empty()) return translation;  // its braces are those of code
  const auto comma = sentence(", ");
  const auto look_up = [this](std::string_view english) { return sentence(english); };
  const auto leave = [](std::string_view english) { return std::string(english); };
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const auto& part : parts) {
    auto text = sentence(part);
    arguments.push_back(text == part ? said_list(part, comma, look_up) : text);
  }
  for (const auto& part : parts) arguments.push_back(said_list(part, comma, leave));
  return fmt::vformat(translation, arguments);
}

}  // namespace terminal
