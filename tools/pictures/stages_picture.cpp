#include "tools/pictures/stages_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "tools/pictures/svg.h"

namespace pictures {
namespace {

using faults::TestedLock;
using nlohmann::json;

constexpr double stage_width = 680;  // on a phone it is half as wide, and can be read
constexpr double stage_edge = 16;
constexpr double title_height = 58;
constexpr double card_height = 62;
constexpr double fault_height = 40;
constexpr double badge = 17;  // the radius
constexpr double spine = stage_edge + 14 + badge;
constexpr double words_at = spine + badge + 14;

bool breaks(const TestedLock& stage, const std::string& scenario) {
  const auto declared = stage.declared.find(scenario);
  return declared != stage.declared.end() && !declared->second.broken.empty();
}

void check(const std::vector<TestedLock>& stages, const json& words) {
  if (words.at("stages").size() != stages.size()) {
    throw faults::CannotRun("the picture of the stages has words for another number of them");
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto scenario = words.at("stages")[i].at("scenario").get<std::string>();
    if (!breaks(stages[i], scenario)) {
      throw faults::CannotRun(fmt::format("the picture of the stages says that {} breaks {}",
                                          scenario, stages[i].name));
    }
  }
}

// How many scenarios `stage` survives, and of how many.
std::pair<std::size_t, std::size_t> count_held(const TestedLock& stage) {
  std::size_t held = 0;
  std::size_t all = 0;
  for (const auto& [scenario, declared] : stage.declared) {
    if (!declared.does_not_apply.empty()) continue;
    ++all;
    if (declared.broken.empty()) ++held;
  }
  return {held, all};
}

void draw_card(Svg& svg, const TestedLock& stage, std::size_t index, const json& words, double y) {
  const auto& own = words.at("stages")[index];
  const Box card{stage_edge, y, stage_width - 2 * stage_edge, card_height};
  svg.rectangle("card", card, 8);
  const auto middle = y + card_height / 2;
  svg.circle("badge", spine, middle, badge);
  svg.text("number", spine, middle, std::to_string(index + 1));
  svg.text("idea", words_at, y + 21, own.at("idea").get<std::string>());
  svg.text("commands", words_at, y + 44, own.at("commands").get<std::string>());

  const auto [held, all] = count_held(stage);
  constexpr double bar = 150;
  const auto right = card.x + card.width - 14;
  const auto share = static_cast<double>(held) / static_cast<double>(std::max<std::size_t>(1, all));
  svg.text("share", right, y + 44,
           fmt::format(fmt::runtime(words.at("holds").get<std::string>()), held, all));
  svg.rectangle("share-broken", {right - bar, y + 17, bar, 8}, 4);
  svg.rectangle("share-held", {right - bar, y + 17, bar * share, 8}, 4);
}

// What breaks stage `index`; an arrow to the next, if there is one.
void draw_fault(Svg& svg, const json& own, double y, bool is_last) {
  svg.line("fall", spine, y, spine, y + fault_height - (is_last ? 14 : 8));
  if (!is_last) {
    svg.path("fall-head", fmt::format("M{:.1f},{:.1f} l-6,-10 h12 z", spine, y + fault_height - 1));
  }
  const auto middle = y + fault_height / 2 - 1;
  svg.text("breaks", words_at, middle, "⚡ " + own.at("breaks").get<std::string>());
  svg.text("scenario", stage_width - stage_edge - 14, middle,
           own.at("scenario").get<std::string>());
}

}  // namespace

std::string picture_of_stages(const std::vector<TestedLock>& stages, std::string_view language) {
  const auto words = json::parse(language);
  check(stages, words);
  Svg svg(stage_width);
  const auto title = words.at("title").get<std::string>();
  svg.text("title", stage_edge, 30, title);
  double y = title_height;
  std::string about;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& own = words.at("stages")[i];
    draw_card(svg, stages[i], i, words, y);
    y += card_height;
    draw_fault(svg, own, y, i + 1 == stages.size());
    y += fault_height;
    about +=
        fmt::format("{}. {} ({}). ⚡ {}. ", i + 1, own.at("idea").get<std::string>(),
                    own.at("commands").get<std::string>(), own.at("breaks").get<std::string>());
  }
  return svg.finish(y + 4, title, about);
}

}  // namespace pictures
