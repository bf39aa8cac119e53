#include "tools/field/lock_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "tools/field/page_words.h"
#include "tools/field/report_data.h"

namespace field {
namespace {

using fmt::arg;
using nlohmann::json;

std::ptrdiff_t words_in(const std::string& text) {
  std::istringstream in(text);
  return std::distance(std::istream_iterator<std::string>(in), {});
}

// Cells of one state that say the same.
struct Alike {
  std::string why;
  Names scenarios;
};

void add_to(std::vector<Alike>& groups, const std::string& why, const std::string& scenario) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const Alike& each) { return each.why == why; });
  if (group == groups.end()) group = groups.insert(group, {.why = why, .scenarios = {}});
  group->scenarios.push_back(scenario);
}

// True if the state of a cell is worth its reason.
bool has_reason(const std::string& state) {
  return state == "not_judged" || state == "showed_nothing" || state == "not_run";
}

// What a section says, in words of one language.
class Writer {
 public:
  explicit Writer(const json& words) : words_(words) {}

  std::string section_of(const json& lock, const json& views) const {
    auto text =
        fmt::format("### {}\n\n{}\n", lock.at("name").get<std::string>(), paragraph_about(lock));
    text += say_violations(lock, nullptr) + say_others(lock, nullptr) + say_left_out(lock) +
            say_shortened_leases(lock) + "\n";
    for (const auto& view : views) {
      const bool is_of_lock = view.at("base") == lock.at("name") && is_variant(view);
      if (is_of_lock) text += say_variant(view, lock);
    }
    return text;
  }

 private:
  template <typename... Places>
  [[nodiscard]] std::string worded(const char* path, const Places&... places) const {
    return worded_in(words_, path, places...);
  }

  std::string yes_or_no(const json& lock, const char* field) const {
    return lock.value(field, false) ? worded("/yes") : worded("/no");
  }

  std::string say_downloads(const json& downloads) const {
    return worded("/downloads", arg("per_month", downloads.value("per_month", 0)),
                  arg("from", downloads.value("from", "")), arg("on", downloads.value("on", "")));
  }

  // What may be said of a lock, the most important first.
  Names sentences_about(const json& lock) const {
    Names said{worded("/what", arg("library", lock.value("library", "")),
                      arg("version", lock.value("version", "")),
                      arg("language", word_for(words_, "languages", lock.value("language", ""))),
                      arg("server", word_for(words_, "servers", lock.value("server", "")))),
               worded("/facts", arg("renews", yes_or_no(lock, "renews")),
                      arg("tells", word_for(words_, "tells", lock.value("tells", ""))),
                      arg("fencing", yes_or_no(lock, "fencing")))};
    if (lock.contains("default_lease_ms")) {
      said.push_back(worded("/default_lease", arg("ms", lock["default_lease_ms"].get<int>())));
    }
    if (lock.contains("downloads")) said.push_back(say_downloads(lock["downloads"]));
    for (const auto& promise : lock.value("promises", json::array())) {
      said.push_back(worded("/promise", arg("says", promise.value("says", "")),
                            arg("where", promise.value("where", ""))));
    }
    for (const auto& setting : lock.value("settings", Names{})) {
      said.push_back(worded("/setting", arg("setting", setting)));
    }
    return said;
  }

  // As many of the sentences as there is room for.
  std::string paragraph_about(const json& lock) const {
    std::string paragraph;
    for (const auto& sentence : sentences_about(lock)) {
      if (words_in(paragraph) + words_in(sentence) > most_words_about_a_lock) continue;
      if (!paragraph.empty()) paragraph += worded("/space");
      paragraph += sentence;
    }
    return paragraph + "\n";
  }

  // " In its source: ...", or nothing if the cell has no such field.
  std::string say_more(const json& cell, const char* field, const char* words) const {
    const auto text = cell.value(field, "");
    return text.empty() ? "" : worded(words, arg("text", text));
  }

  std::string sign_of(const std::string& state) const {
    return words_.at("states").at(state).at("sign");
  }

  std::string say_violation(const json& cell) const {
    const std::string state = cell.at("state");
    return worded("/red", arg("sign", sign_of(state)),
                  arg("scenario", cell.at("scenario").get<std::string>()),
                  arg("sentence", cell.at("sentence").get<std::string>()),
                  arg("more", say_more(cell, "not_always", "/not_always") +
                                  say_more(cell, "because", "/because") +
                                  say_more(cell, "documented", "/documented")),
                  arg("again", cell.at("again").get<std::string>()));
  }

  std::string say_group(const std::string& state, const Alike& group) const {
    const std::string name = words_.at("states").at(state).at("name");
    return worded(group.why.empty() ? "/others" : "/reason", arg("sign", sign_of(state)),
                  arg("name", name), arg("scenarios", say_names(words_, group.scenarios)),
                  arg("why", group.why));
  }

  // The cells of a view that are not violated, state by state; of a variant only what differs from
  // its lock.
  std::string say_others(const json& view, const json* base) const {
    std::string text;
    for (const auto* state :
         {"not_judged", "showed_nothing", "not_run", "not_promised", "held", "refused"}) {
      std::vector<Alike> groups;
      for (std::size_t i = 0; i < view.at("cells").size(); ++i) {
        const auto& cell = view["cells"][i];
        const bool is_new = base == nullptr || base->at("cells")[i].at("state") != cell.at("state");
        if (cell.at("state") != state || !is_new) continue;
        add_to(groups, has_reason(state) ? cell.value("why", "") : "", cell.at("scenario"));
      }
      for (const auto& group : groups) text += say_group(state, group);
    }
    return text;
  }

  // The cells that have such a field, those together of which it says the same.
  std::string say_field(const json& view, const char* field, const char* words) const {
    std::vector<Alike> groups;
    for (const auto& cell : view.at("cells")) {
      const auto why = cell.value(field, "");
      if (!why.empty()) add_to(groups, why, cell.at("scenario"));
    }
    std::string text;
    for (const auto& group : groups) {
      text += worded(words, arg("scenarios", say_names(words_, group.scenarios)),
                     arg("why", group.why));
    }
    return text;
  }

  // The sweeps of which a part says nothing about the lock.
  std::string say_left_out(const json& view) const {
    return say_field(view, "left_out", "/partly");
  }

  // The cells of which runs with a shortened lease say otherwise.
  std::string say_shortened_leases(const json& view) const {
    return say_field(view, "shortened", "/shortened");
  }

  // The violations of a view; of a variant those that its lock has as well by name alone.
  std::string say_violations(const json& view, const json* base) const {
    std::string text;
    Names again;
    for (std::size_t i = 0; i < view.at("cells").size(); ++i) {
      const auto& cell = view["cells"][i];
      if (!is_violated(cell)) continue;
      if (base != nullptr && is_violated(base->at("cells")[i])) {
        again.push_back(cell.at("scenario"));
      } else {
        text += say_violation(cell);
      }
    }
    if (!again.empty()) text += worded("/red_again", arg("scenarios", say_names(words_, again)));
    return text;
  }

  std::string say_figures(const json& view) const {
    Names figures;
    for (const auto& each : view.at("classes")) {
      const auto name = fmt::format("/classes/{}/name", each.at("name").get<std::string>());
      figures.push_back(
          fmt::format("{} {}", worded(name.c_str()), each.at("figure").get<std::string>()));
    }
    const std::string between = words_.at("about").at("between");
    return fmt::format("{}", fmt::join(figures, between));
  }

  std::string say_variant(const json& view, const json& base) const {
    const auto head =
        worded("/variant", arg("name", view.at("name").get<std::string>()),
               arg("says", view.value("varies", "")), arg("classes", say_figures(view)));
    const auto cells =
        say_violations(view, &base) + say_others(view, &base) + say_shortened_leases(view);
    return head + (cells.empty() ? "" : "\n" + cells) + "\n";
  }

  const json& words_;
};

}  // namespace

bool is_variant(const json& view) {
  return view.at("base") != view.at("name");
}

std::string word_for(const json& words, const char* list, const std::string& key) {
  return words.at(list).value(key, key);
}

std::string say_names(const json& words, const Names& scenarios) {
  Names quoted;
  for (const auto& scenario : scenarios) quoted.push_back(fmt::format("`{}`", scenario));
  return fmt::format("{}", fmt::join(quoted, worded_in(words, "/comma")));
}

std::string section_of(const json& lock, const json& views, const json& words) {
  return Writer(words).section_of(lock, views);
}

}  // namespace field
