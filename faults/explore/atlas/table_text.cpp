#include "faults/explore/atlas/table_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "faults/explore/atlas/search_locks.h"
#include "faults/explore/atlas/smallest.h"

namespace atlas {
namespace {

std::string text_of(const Cell* cell) {
  if (cell == nullptr) return "·";
  std::string text(cell->broken.begin(), cell->broken.end());
  if (!cell->is_exhausted) return text + "?";
  return text.empty() ? "✓" : text;
}

std::string mark_of(Size size) {
  switch (size) {
    case Size::smallest: return "*";
    case Size::not_smallest: return " ";
    case Size::unknown: break;
  }
  return "?";
}

std::string words_of(const Parts& parts) {
  return fmt::format("{}", fmt::join(to_words(parts), " "));
}

std::string as_code(const std::vector<Parts>& some) {
  std::vector<std::string> words;
  for (const auto& parts : some) words.push_back("`" + words_of(parts) + "`");
  return fmt::format("{}", fmt::join(words, "<br>"));
}

// "owner-only release (slow work, cut off), liveness (kill)".
std::string describe(const std::set<Kept>& kept) {
  std::vector<std::string> texts;
  if (kept.contains({"hand-over", ' '})) texts.emplace_back("hand-over");
  for (const auto& promise : promises()) {
    std::vector<std::string> faults;
    for (const auto& kind : kinds_of_fault()) {
      if (kept.contains({kind.name, promise.letter})) faults.push_back(kind.name);
    }
    if (faults.empty()) continue;
    texts.push_back(fmt::format("{} ({})", promise.name, fmt::join(faults, ", ")));
  }
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string describe(const Loss& loss) {
  auto text = fmt::format("{}: {}", fmt::join(loss.parts, ", "), describe(loss.lost));
  if (!loss.gained.empty()) text += fmt::format("; without it is kept {}", describe(loss.gained));
  return text;
}

// "yes", or which simpler lock keeps as much.
std::string verdict_on(const Finding& finding, const std::vector<Finding>& all) {
  switch (size_in_atlas(finding, all)) {
    case Size::smallest: return "yes";
    case Size::not_smallest: return "no: " + as_code(simpler_as_good(finding, all));
    case Size::unknown: break;
  }
  return "not known: a simpler one was not searched to the end";
}

std::string heading_of_kinds() {
  std::string text;
  std::string line = "|---|";
  for (const auto& kind : kinds_of_fault()) {
    text += fmt::format(" {} |", kind.name);
    line += "---|";
  }
  return fmt::format("{}\n{}\n", text, line);
}

std::string row_of(const Finding& finding) {
  auto text = fmt::format("| `{}` |", words_of(finding.parts));
  for (const auto& kind : kinds_of_fault()) {
    text += fmt::format(" {} |", text_of(finding.cell(kind.name)));
  }
  return text + "\n";
}

std::string smallest_block(const std::vector<Finding>& all) {
  const auto count = all_locks().size();
  auto text = all.size() == count ? fmt::format("All {} locks are recorded.", count)
                                  : fmt::format("Of {} locks {} are recorded.", count, all.size());
  text += "\n\n| smallest locks |" + heading_of_kinds();
  for (const auto& finding : all) {
    if (size_in_atlas(finding, all) == Size::smallest) text += row_of(finding);
  }
  return text;
}

std::string stages_block(const std::vector<Finding>& all) {
  std::string text =
      "| stage | its parts | smallest? | without a part is lost |\n|---|---|---|---|\n";
  for (const auto& [stage, parts] : stages_in_atlas()) {
    const auto* finding = find(parts, all);
    if (finding == nullptr) continue;
    std::vector<std::string> losses;
    for (const auto& loss : losses_of(*finding, all)) losses.push_back(describe(loss));
    text += fmt::format("| {} | `{}` | {} | {} |\n", stage, words_of(parts),
                        verdict_on(*finding, all), fmt::join(losses, "<br>"));
  }
  return text;
}

// Those that the promise is about: only a lock with fencing has tokens.
std::vector<Finding> searched_for(const Kept& wanted, const std::vector<Finding>& all) {
  std::vector<Finding> some;
  for (const auto& one : all) {
    const bool is_about = wanted.second != 'F' || one.parts.fencing;
    if (is_about && one.cell(wanted.first) != nullptr) some.push_back(one);
  }
  return some;
}

// What a lock must have to keep a promise under a fault, where not all do.
std::string needs_block(const std::vector<Finding>& all) {
  std::string text = "| fault | promise | kept by | smallest |\n|---|---|---|---|\n";
  for (const auto& kind : kinds_of_fault()) {
    for (const auto& promise : promises()) {
      const Kept wanted{kind.name, promise.letter};
      const auto some = searched_for(wanted, all);
      const auto keeps = [&](const Finding& one) { return surely_kept(one).contains(wanted); };
      const auto count = static_cast<std::size_t>(std::count_if(some.begin(), some.end(), keeps));
      if (count == some.size()) continue;
      const auto smallest = smallest_that_keep({wanted, {"hand-over", ' '}}, some);
      text += fmt::format("| {} | {} | {} of {} | {} |\n", kind.name, promise.name, count,
                          some.size(), smallest.empty() ? "none" : as_code(smallest));
    }
  }
  return text;
}

}  // namespace

const std::vector<std::pair<std::string, Parts>>& stages_in_atlas() {
  static const std::vector<std::pair<std::string, Parts>> all{
      {"stage1_setnx", parts_named("acquire=setnx,release=del")},
      {"stage2_expire", parts_named("acquire=setnx+expire,release=del")},
      {"stage3_set_nx_px", parts_named("acquire=set,token=yes,release=compare")},
      {"stage4_lua_release", parts_named("acquire=set,token=yes,release=script")},
      {"stage5_watchdog",
       parts_named("acquire=set,token=yes,release=script,renewal=script,look=yes")}};
  return all;
}

std::string table_for_terminal(const std::vector<Finding>& all) {
  std::string text = fmt::format("  {:<76}", "lock");
  for (const auto& kind : kinds_of_fault()) text += fmt::format(" {:<8.8}", kind.name);
  text += "\n";
  for (const auto& finding : all) {
    text += fmt::format("{} {:<76}", mark_of(size_in_atlas(finding, all)), words_of(finding.parts));
    for (const auto& kind : kinds_of_fault()) {
      text += fmt::format(" {:<8}", text_of(finding.cell(kind.name)));
    }
    text += "\n";
  }
  return text;
}

std::string lock_for_terminal(const Finding& finding, const std::vector<Finding>& all) {
  auto text = words_of(finding.parts) + "\n";
  for (const auto& kind : kinds_of_fault()) {
    const auto* cell = finding.cell(kind.name);
    text += fmt::format("  {:<18} {:<6}", kind.name, text_of(cell));
    if (cell != nullptr) text += fmt::format(" {:>6} orders", cell->orders);
    text += "\n";
  }
  text += fmt::format("  smallest?          {}\n", verdict_on(finding, all));
  for (const auto& loss : losses_of(finding, all)) {
    text += fmt::format("  without {}\n    as in {}\n", describe(loss), name_of(loss.simpler));
  }
  return text + fmt::format("  step through it    ./lab step {}\n", name_of(finding.parts));
}

std::vector<Block> blocks_of_chapter(const std::vector<Finding>& all) {
  return {{.marker = "atlas: stages", .text = stages_block(all)},
          {.marker = "atlas: needs", .text = needs_block(all)},
          {.marker = "atlas: smallest", .text = smallest_block(all)}};
}

}  // namespace atlas
