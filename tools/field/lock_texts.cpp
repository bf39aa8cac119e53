#include "tools/field/lock_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "field_page_parts.h"  // made by CMake

namespace field {
namespace {

using nlohmann::json;

using Texts = std::vector<std::string>;

std::string chinese(const std::string& english) {
  static const auto texts = json::parse(parts::lock_texts_zh);
  return texts.value(english, english);
}

std::string filled(const json& words, const char* sentence, const std::string& text) {
  const auto& pattern = words.at("about").at(sentence).get_ref<const std::string&>();
  return fmt::format(fmt::runtime(pattern), text);
}

// Where the place begins in "says (where).", whose says may have brackets as well: after a text
// that is known, or a quote.
std::size_t place_in(const std::string& passage) {
  for (auto at = passage.find(" ("); at != std::string::npos; at = passage.find(" (", at + 1)) {
    const auto says = passage.substr(0, at);
    if (chinese(says) != says) return at;
  }
  const auto quote = passage.rfind("\" (");
  return quote == std::string::npos ? quote : quote + 1;
}

std::string chinese_passage(const std::string& english) {
  const auto at = place_in(english);
  if (at == std::string::npos) return english;
  const auto where = english.substr(at + 2, english.size() - at - 4);
  return fmt::format("{}（{}）。", chinese(english.substr(0, at)), chinese(where));
}

// A lock of the reader's own has no version, and describes itself.
void describe(json& lock, const json& words) {
  const auto version = lock.value("version", "");
  if (version.empty()) return;
  auto settings = lock.value("settings", Texts{});
  for (auto& setting : settings) setting = chinese(setting);
  const auto library = chinese(lock.value("library", ""));
  const auto varies = chinese(lock.value("varies", ""));
  lock["settings"] = settings;
  lock["library"] = library;
  if (!varies.empty()) lock["varies"] = varies;
  auto text = fmt::format("{} {}", library, version);
  if (!varies.empty()) text += filled(words, "varies", varies);
  lock["says"] = text + say_settings(lock.value("servers", 1), settings, words);
}

}  // namespace

std::string say_settings(int servers, const Texts& settings, const json& words) {
  std::string text;
  if (servers > 1) text += filled(words, "servers", std::to_string(servers));
  const std::string between = words.at("about").at("between");
  if (!settings.empty()) {
    text += filled(words, "settings", fmt::format("{}", fmt::join(settings, between)));
  }
  return filled(words, "end", text);
}

void put_locks_into_chinese(json& data, const json& words) {
  for (auto& lock : data.at("locks")) {
    describe(lock, words);
    if (!lock.contains("promises")) continue;
    for (auto& promise : lock["promises"]) {
      for (auto& text : promise) text = chinese(text);
    }
  }
  for (auto& row : data.at("rows")) {
    for (auto& cell : row.at("cells")) {
      for (const auto* field : {"because", "documented"}) {
        if (cell.contains(field)) cell[field] = chinese_passage(cell[field]);
      }
    }
  }
}

}  // namespace field
