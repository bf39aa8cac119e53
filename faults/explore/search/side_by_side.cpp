#include "faults/explore/search/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "faults/kit/text_width.h"

namespace explore {
namespace {

using Labels = std::vector<std::string>;

// How many steps both begin with.
std::size_t steps_alike(const Labels& a, const Labels& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  (void)other;
  return static_cast<std::size_t>(end - a.begin());
}

std::string_view step_of(const Labels& labels, std::size_t step) {
  return step < labels.size() ? std::string_view(labels[step]) : std::string_view();
}

std::string draw_steps(const Labels& broken, const Labels& holds, std::size_t alike,
                       const faults::Paint& paint) {
  constexpr std::size_t shown_before = 3;
  const auto first = alike - std::min(alike, shown_before);
  std::size_t width = std::string_view("this order").size();
  for (auto step = first; step < broken.size(); ++step) {
    width = std::max(width, faults::width_in_columns(broken[step]));
  }
  auto text = paint.bold(fmt::format("       {:<{}}   that order", "this order", width)) + "\n";
  if (first > 0) text += fmt::format("       (steps 1 to {} are the same)\n", first);
  for (auto step = first; step < std::max(broken.size(), holds.size()); ++step) {
    auto line = fmt::format("  {:>3}{} {:<{}}   {}", step + 1, step == alike ? "▶" : " ",
                            step_of(broken, step), width, step_of(holds, step));
    line.erase(line.find_last_not_of(' ') + 1);
    text += (step == alike ? paint.yellow(line) : line) + "\n";
  }
  return text;
}

Labels in_words(Labels labels, const std::function<std::string(const std::string& label)>& say) {
  for (auto& label : labels) label = say(label);
  return labels;
}

}  // namespace

std::string describe_side_by_side(const Run& broken, const Run& holds, const faults::Paint& paint,
                                  const std::function<std::string(const std::string& label)>& say) {
  const auto alike = steps_alike(broken.labels, holds.labels);
  const auto differs_from = alike == 0 ? 0 : holds.ends.at(alike - 1);
  return fmt::format(
      "\nthe nearest order that holds; ▶ is the first difference, step {}:\n\n{}\n{}", alike + 1,
      faults::draw_timeline(holds.record, paint, differs_from),
      draw_steps(in_words(broken.labels, say), in_words(holds.labels, say), alike, paint));
}

}  // namespace explore
