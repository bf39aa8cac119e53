#include "tools/field/lock_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "faults/kit/client_protocol.h"
#include "faults/kit/errors.h"
#include "faults/scenarios/scenario.h"
#include "tools/terminal/suggestions.h"

namespace field {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// The fields of the objects in a lock.json, by the field that has them; "" is the whole.
const std::map<std::string, Words>& fields() {
  static const std::map<std::string, Words> all{
      {"", {"name",         "library",      "version",    "language", "start",    "install",
            "installed",    "server",       "nodes",      "key",      "type",     "capabilities",
            "lease",        "renewal",      "waiting",    "loss",     "promises", "not_promised",
            "acquire_says", "release_says", "unanswered", "variants", "settings", "documented",
            "because",      "not_judged",   "downloads"}},
      {"downloads", {"per_month", "from", "on"}},
      {"install", {"debian", "npm", "pip", "cmake", "go", "cargo", "java"}},
      {"lease", {"granularity_ms", "shortest_ms", "default_ms", "longest_ms", "scope", "says"}},
      {"renewal", {"by", "after", "before_end_ms", "shortest_lease_ms", "always", "says"}},
      {"waiting", {"how", "every_ms", "jitter_ms", "ends", "says"}},
      {"loss", {"how", "by", "asks", "late_ms", "says"}},
      {"unanswered",
       {"after_ms", "lease_part", "tries", "again", "every_ms", "jitter_ms", "gone_after_ms",
        "in_turn", "says"}},
      {"variants",
       {"environment", "says",         "nodes",        "without",  "start",        "key",
        "type",        "capabilities", "lease",        "renewal",  "waiting",      "loss",
        "unanswered",  "acquire_says", "release_says", "promises", "not_promised", "settings",
        "documented",  "because",      "not_judged"}},
      {"documented", {"scenarios", "says", "where"}},
      {"because", {"scenarios", "says", "where"}},
      {"promises", {"says", "where"}}};
  return all;
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string no_such(const std::string& what, const std::string& word, const Words& words) {
  if (has(words, word)) return {};
  return fmt::format("{} \"{}\";{}", what, word, terminal::did_you_mean(word, words));
}

Words scenario_names() {
  Words names;
  for (const auto& scenario : faults::all_scenarios()) names.push_back(scenario.name);
  return names;
}

// The first of these that is wrong.
template <typename Range, typename Check>
std::string first_wrong(const Range& range, const Check& check) {
  for (const auto& each : range) {
    if (auto wrong = check(each); !wrong.empty()) return wrong;
  }
  return {};
}

std::string wrong_words(const json& object, const char* field, const Words& words) {
  return first_wrong(object.value(field, Words{}), [&](const std::string& word) {
    return no_such(fmt::format("\"{}\" has no word", field), word, words);
  });
}

std::string wrong_scenario(const std::string& field, const std::string& name) {
  return no_such(fmt::format("\"{}\" is about a scenario that is not there:", field), name,
                 scenario_names());
}

std::string wrong_field(const std::string& where, const json& object) {
  const auto known = fields().find(where);
  if (known == fields().end() || !object.is_object()) return {};
  const auto place = where.empty() ? std::string("there is") : fmt::format("\"{}\" has", where);
  return first_wrong(object.items(), [&](const auto& item) {
    return no_such(place + " no field", item.key(), known->second);
  });
}

std::string wrong_passages(const json& object, const char* field) {
  return first_wrong(object.value(field, json::array()), [&](const json& passage) {
    if (auto wrong = wrong_field(field, passage); !wrong.empty()) return wrong;
    return first_wrong(passage.value("scenarios", Words{}),
                       [&](const std::string& name) { return wrong_scenario(field, name); });
  });
}

// What is the same in a lock and in a variant of it.
std::string wrong_parts(const json& object) {
  for (const auto* field :
       {"install", "lease", "renewal", "waiting", "loss", "unanswered", "downloads"}) {
    if (auto wrong = wrong_field(field, object.value(field, json())); !wrong.empty()) return wrong;
  }
  for (const auto* field : {"because", "documented", "promises"}) {
    if (auto wrong = wrong_passages(object, field); !wrong.empty()) return wrong;
  }
  const auto not_judged = object.value("not_judged", json::object());
  auto wrong = first_wrong(not_judged.items(), [](const auto& item) {
    return wrong_scenario("not_judged", item.key());
  });
  if (!wrong.empty()) return wrong;
  const std::map<const char*, Words> outcomes{{"capabilities", faults::capability_words()},
                                              {"without", faults::capability_words()},
                                              {"acquire_says", faults::acquire_words()},
                                              {"release_says", faults::release_words()}};
  return first_wrong(
      outcomes, [&](const auto& each) { return wrong_words(object, each.first, each.second); });
}

std::string wrong_renewal(const json& object) {
  const auto renewal = object.value("renewal", json());
  const bool by_user = renewal.is_object() && renewal.value("by", "") == "user";
  if (!by_user || !has(object.value("capabilities", Words{}), "renewal")) return {};
  return "\"capabilities\" says that it renews its lease, and \"renewal\" that its user does";
}

}  // namespace

std::string wrong_with_lock_json(const json& object) {
  if (auto wrong = wrong_field("", object); !wrong.empty()) return wrong;
  if (auto wrong = wrong_parts(object); !wrong.empty()) return wrong;
  if (auto wrong = wrong_renewal(object); !wrong.empty()) return wrong;
  const auto variants = object.value("variants", json::object());
  return first_wrong(variants.items(), [](const auto& item) {
    const auto& variant = item.value();
    const auto wrong = wrong_field("variants", variant);
    return wrong.empty() ? wrong_parts(variant) : wrong;
  });
}

void must_be_lock_json(const std::filesystem::path& file) {
  std::ifstream input(file);
  const auto object = json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    throw faults::CannotRun(fmt::format("{} is no JSON object", file.native()));
  }
  try {
    const auto wrong = wrong_with_lock_json(object);
    if (wrong.empty()) return;
    throw faults::CannotRun(
        fmt::format("{}: {} field/README.md has the words", file.native(), wrong));
  } catch (const json::exception& error) {
    throw faults::CannotRun(fmt::format("{}: {}", file.native(), error.what()));
  }
}

}  // namespace field
