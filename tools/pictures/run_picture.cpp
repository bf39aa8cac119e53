#include "tools/pictures/run_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "faults/judging/event_row.h"
#include "tools/pictures/fold.h"
#include "tools/pictures/run_frame.h"
#include "tools/pictures/run_layout.h"
#include "tools/pictures/svg.h"
#include "tools/report/drawing.h"

namespace pictures {
namespace {

using nlohmann::json;

double width_in_letters(const std::string& text) {
  return static_cast<double>(faults::width_of(text)) * letter;
}

// Draws one run, part by part. `svg` gets the shapes in the order in which they lie on each other.
class RunPicture {
 public:
  RunPicture(const json& setting, json english, const terminal::Language& language)
      : setting_(setting),
        effects_(effects_in(english)),
        drawing_(std::move(english)),
        language_(language) {
    report::translate(drawing_, language);
  }

  std::string draw() {
    const auto top = draw_head(svg_, setting_, drawing_, language_);
    layout_ = layout_of(drawing_, effects_, top);
    for (const auto& collision : drawing_.at("collisions")) {
      for (const auto& end : collision) collided_.emplace(end.at(0), end.at(1));
    }
    draw_stillness();
    draw_rails();
    draw_arrows();
    draw_bars();
    draw_times();
    draw_collisions();
    draw_faults();
    draw_texts();
    const auto y = draw_verdict(svg_, drawing_, layout_.bottom + 12, language_);
    const auto title = language_(fmt::format("Timeline of {} on {}", setting_.value("scenario", ""),
                                             setting_.value("stage", "")));
    return svg_.finish(draw_key(svg_, drawing_, y, language_), title,
                       verdict_of(drawing_, language_));
  }

 private:
  // A class for the colour of a client.
  [[nodiscard]] std::string colour_of(const std::string& client) const {
    std::size_t index = 0;
    for (const auto& lane : layout_.lanes) {
      if (lane.is_server || index > 3) break;
      if (lane.name == client) return fmt::format("lane-{}", index);
      ++index;
    }
    return "lane-4";
  }

  [[nodiscard]] double lane_width(std::size_t lane) const {
    const bool last = lane + 1 == layout_.lanes.size();
    return (last ? picture_width - margin : layout_.lanes[lane + 1].x) - layout_.lanes[lane].x;
  }

  void draw_stillness() {
    for (const auto& still : drawing_.at("still")) {
      const auto lane = still.at(0).get<std::size_t>();
      const auto from = layout_.lines.at(still.at(1).get<std::size_t>()).top;
      const auto to = layout_.lines.at(still.at(2).get<std::size_t>() - 1).bottom;
      svg_.rectangle(still.at(3).get<std::string>(),
                     {layout_.lanes[lane].x, from, lane_width(lane) - 6, to - from}, 3);
      const auto words = fmt::format("({})", language_(still.at(3).get<std::string>()));
      const auto free = free_row(lane, still.at(1), still.at(2));
      const bool fits = faults::width_of(words) <= layout_.lanes[lane].letters;
      if (free > 0 && fits) svg_.text("pause", layout_.lanes[lane].text, free, words);
    }
  }

  // The middle of the first row from `from` on in which `lane` says nothing; 0: there is none.
  [[nodiscard]] double free_row(std::size_t lane, std::size_t from, std::size_t to) const {
    for (auto i = from; i < to; ++i) {
      const auto& line = drawing_.at("lines")[i];
      if (line.at(1).is_string() || layout_.lines[i].is_effect) continue;
      const auto& said = line.at(2);
      if (std::none_of(said.begin(), said.end(),
                       [&](const json& one) { return one.at(0) == lane; })) {
        return layout_.lines[i].middle;
      }
    }
    return 0;
  }

  void draw_rails() {
    for (const auto& lane : layout_.lanes) {
      const auto middle = lane.x + lane.bar / 2;
      svg_.line("rail", middle, layout_.top + 28, middle, layout_.bottom);
      svg_.text(lane.is_server ? "name" : "name " + colour_of(lane.name), lane.x, layout_.top + 15,
                lane.name);
    }
  }

  // From a command to what the server did upon it.
  void draw_arrows() {
    for (std::size_t i = 1; i < layout_.lines.size(); ++i) {
      if (!layout_.lines[i].is_effect) continue;
      const auto& sent = drawing_.at("lines")[i - 1].at(2).at(0);
      const auto& done = drawing_.at("lines")[i].at(2).at(0);
      const auto& from = layout_.lanes[sent.at(0).get<std::size_t>()];
      const auto text = shortened(sent.at(2).get<std::string>(), from.letters);
      const auto y = layout_.lines[i].middle;
      const auto start = from.text + width_in_letters(text) + 8;
      const auto tip = layout_.lanes[done.at(0).get<std::size_t>()].x - 3;
      if (tip - start < 8) continue;
      svg_.line("arrow", start, y, tip - 4, y);
      svg_.path("arrow-head", fmt::format("M{:.1f},{:.1f} l-7,-3.5 v7 z", tip, y));
    }
  }

  void draw_bars() {
    for (const auto& bar : drawing_.at("bars")) {
      const auto& lane = layout_.lanes[bar.at(0).get<std::size_t>()];
      const auto from = layout_.lines.at(bar.at(1).get<std::size_t>()).top;
      const auto to = layout_.lines.at(bar.at(2).get<std::size_t>() - 1).bottom;
      const auto owner = bar.at(3).get<std::string>();
      const bool mistaken = bar.at(4) == 1;
      svg_.rectangle(mistaken ? "mistaken" : colour_of(owner), {lane.x, from, lane.bar, to - from},
                     2);
      if (!lane.is_server) continue;
      svg_.text("owner", lane.x + lane.bar / 2, from + std::min(row_height, to - from) / 2,
                owner.empty() ? "?" : owner.substr(0, 1));
    }
  }

  void draw_times() {
    long before = -1;
    for (std::size_t i = 0; i < layout_.lines.size(); ++i) {
      const auto ms = drawing_.at("lines")[i].at(0).get<long>();
      if (ms == before || layout_.lines[i].is_effect) continue;
      svg_.text("time", layout_.left - 8, layout_.lines[i].middle, fmt::format("{} ms", ms));
      before = ms;
    }
    for (const auto& pause : layout_.pauses) {
      svg_.text("pause", layout_.lanes.front().text, pause.middle,
                language_(fmt::format("… {} ms pass …", pause.ms)));
    }
  }

  void draw_collisions() {
    for (const auto& collision : drawing_.at("collisions")) {
      const auto lost = end_of(collision.at(0), language_("✗ lost"));
      const auto winner = end_of(collision.at(1), language_("✗ overwrites"));
      const auto& [left, right] =
          lost.text < winner.text ? std::tie(lost, winner) : std::tie(winner, lost);
      const auto turn = right.text - gap_to_turn;
      svg_.path("joined", fmt::format("M{:.1f},{:.1f} H{:.1f} V{:.1f} H{:.1f}", left.words_end,
                                      left.y, turn, right.y, right.text - 6));
      const bool into_right = &right == &lost;
      const auto tip = into_right ? right.text - 4 : left.words_end - 2;
      svg_.path("joined-head", fmt::format("M{:.1f},{:.1f} l{},-5 v10 z", tip,
                                           into_right ? right.y : left.y, into_right ? -9 : 9));
    }
  }

  struct End {
    double text = 0;       // where the write's text begins
    double words_end = 0;  // where the word about it ends
    double y = 0;
  };
  static constexpr double gap_to_turn = 22;

  // Writes `words` after one of two writes that collided.
  End end_of(const json& place, const std::string& words) {
    const auto line = place.at(0).get<std::size_t>();
    const auto& lane = layout_.lanes[place.at(1).get<std::size_t>()];
    const auto y = layout_.lines[line].middle;
    const auto x = lane.text + width_in_letters(text_at(line, place.at(1))) + 12;
    svg_.text("lost", x, y, words);
    return {.text = lane.text, .words_end = x + width_in_letters(words) + 6, .y = y};
  }

  [[nodiscard]] std::string text_at(std::size_t line, std::size_t lane) const {
    for (const auto& said : drawing_.at("lines")[line].at(2)) {
      if (said.at(0) == lane) {
        return shortened(said.at(2).get<std::string>(), layout_.lanes[lane].letters);
      }
    }
    return {};
  }

  // Each begins in the lane that it struck.
  void draw_faults() {
    for (std::size_t i = 0; i < layout_.lines.size(); ++i) {
      const auto& line = drawing_.at("lines")[i];
      if (!line.at(1).is_string()) continue;
      const auto words = "⚡ " + line.at(1).get<std::string>();
      const auto& place = layout_.lines[i];
      svg_.rectangle(
          "fault",
          {layout_.left, place.top + 1, picture_width - margin - layout_.left, row_height - 2}, 3);
      double x = layout_.left;
      for (const auto& struck : drawing_.at("struck")) {
        if (struck.at(0) == i) {
          x = layout_.lanes[struck.at(1).get<std::size_t>()].x;
          break;
        }
      }
      const auto last = picture_width - margin - width_in_letters(words) - 12;
      svg_.text("fault-text", std::max(layout_.left, std::min(x, last)) + 6, place.middle, words);
    }
  }

  void draw_texts() {
    for (std::size_t i = 0; i < layout_.lines.size(); ++i) {
      const auto& line = drawing_.at("lines")[i];
      if (line.at(1).is_string()) continue;
      for (const auto& said : line.at(2)) draw_text(i, said);
    }
  }

  void draw_text(std::size_t line, const json& said) {
    const auto lane = said.at(0).get<std::size_t>();
    const auto kind = said.at(1).get<std::string>();
    const auto text = text_at(line, lane);
    const auto first = std::min(text.find_first_not_of(' '), text.size());
    const auto x = layout_.lanes[lane].text + static_cast<double>(first) * letter;
    const auto words = text.substr(first);
    const bool is_collided = collided_.contains({line, lane});
    const bool is_evidence = said.at(3) == 1;
    const std::string box = is_collided         ? "box-collided"
                            : is_evidence       ? "box-evidence"
                            : kind == "storage" ? "write"
                                                : "";
    const auto y = layout_.lines[line].middle;
    if (!box.empty()) {
      svg_.rectangle(
          box, {x - 4, y - row_height / 2 + 1.5, width_in_letters(words) + 8, row_height - 3}, 3);
    }
    svg_.text(is_collided ? "collided" : is_evidence ? "evidence" : kind, x, y, words);
  }

  const json& setting_;
  const std::vector<bool> effects_;
  json drawing_;
  const terminal::Language& language_;
  RunLayout layout_;
  Svg svg_;
  std::set<std::pair<std::size_t, std::size_t>> collided_;  // line and lane
};

}  // namespace

std::string picture_of_run(const faults::Record& record, const terminal::Language& language) {
  const auto setting = record.empty() ? json::object() : record.front().data;
  return RunPicture(setting, folded(report::drawing_of(record)), language).draw();
}

}  // namespace pictures
