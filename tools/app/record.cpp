// `lab record`, for maintainers: keeps the histories of the red scenarios, and of the green ones
// that a lesson shows, and rewrites the documents that are made from them.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "faults/kit/errors.h"
#include "faults/running/run_scenario.h"
#include "tools/app/atlas_chapter.h"
#include "tools/app/commands.h"
#include "tools/book/documents.h"
#include "tools/book/pages.h"
#include "tools/book/translations.h"
#include "tools/field/markdown_page.h"
#include "tools/field/report_data.h"
#include "tools/pictures/all.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/table/markdown.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/language.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr int cells_at_once = 4;

// Rewrites the block after that marker in `file`, if there is one.
void write_block(const fs::path& file, const std::string& marker, const std::string& text) {
  book::write_file(file, book::with_block(book::read_file(file), marker, text));
}

// Runs the whole table, keeps the history of every cell that is shown, rewrites the tables.
void record_again(const terminal::Options& options, faults::Reaper& reaper) {
  auto grid = table::empty_grid();
  {
    const terminal::Progress progress("running every stage against every scenario");
    table::fill(grid, terminal::plan_for(options, reaper), cells_at_once, reaper, [] {});
  }
  for (const auto& cell : grid.cells) {
    if (!cell.difference.empty()) {
      throw faults::CannotRun(fmt::format("{} {} is not as declared: {}; nothing was rewritten",
                                          cell.result->stage, cell.result->scenario,
                                          cell.difference));
    }
  }
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& stage = grid.stage_of(i);
    if (!grid.cells[i].result) continue;
    const auto& result = *grid.cells[i].result;
    const auto shown = book::shown_scenarios(stage);
    if (std::find(shown.begin(), shown.end(), result.scenario) == shown.end()) continue;
    const auto kept = book::recorded_history(stage, result.scenario);
    fs::create_directories(kept.parent_path());
    fs::copy_file(result.shown().history, kept, fs::copy_options::overwrite_existing);
  }
  const auto house = fs::path(LAB_SOURCE_DIR);
  write_block(house / "docs" / "survival.md", "table", table::as_markdown(grid, "../"));
  write_block(house / "README.md", "table",
              table::as_markdown(table::rows_of(grid, book::rows_in_readme())));
}

// The Chinese chapter has the table and the sections of the field report; the English report is its
// own page.
void write_field_report(const fs::path& docs, const std::vector<faults::TestedLock>& stages) {
  const auto data = field::read_report_data(docs / "field-report.json");
  const auto chapter = docs / "zh" / "field-report.md";
  write_block(chapter, "locks", field::chinese_table(data, field::stage_data(stages)));
  write_block(chapter, "sections", field::chinese_sections(data));
}

// The README's table, in its Chinese page.
void write_chinese_table() {
  const auto some = table::rows_of(table::empty_grid(), book::rows_in_readme());
  const auto text = table::declared_as_markdown(some, "", terminal::Language::named("zh"));
  write_block(fs::path(LAB_SOURCE_DIR) / "README.zh.md", "chinese table", text);
}

int rewrite_documents(const terminal::Options& options, bool keep, faults::Reaper& reaper) {
  if (!keep) record_again(options, reaper);
  const auto stages = table::all_stages();
  write_chinese_table();
  for (const auto& stage : stages) {
    for (const auto& scenario : book::shown_scenarios(stage)) {
      book::write_file(book::golden_file(stage, scenario),
                       book::timeline_from_recorded(stage, scenario));
    }
  }
  for (const auto& document : book::up_to_date(stages, table::all_relatives())) {
    book::write_file(document.path, document.text);
    std::cout << "wrote " << document.path.native() << '\n';
  }
  write_atlas_chapter(atlas::read_findings(atlas::recorded_atlas()));
  write_field_report(fs::path(LAB_SOURCE_DIR) / "docs", stages);
  for (const auto& picture : pictures::all_pictures(stages)) {
    book::write_file(picture.path, picture.text);
    std::cout << "wrote " << picture.path.native() << '\n';
  }
  return terminal::exit_holds;
}

// Notes in each Chinese page of `names` that it says what its English page says now.
int note_comparison(const std::vector<std::string>& names) {
  const auto all = book::translations();
  for (const auto& name : names) {
    const auto path = fs::weakly_canonical(name);
    const auto one = std::find_if(all.begin(), all.end(), [&](const auto& translation) {
      return fs::weakly_canonical(translation.chinese) == path;
    });
    if (one == all.end()) throw faults::CannotRun(name + " is no Chinese page of the book");
    book::write_file(
        path, book::marked_as_compared(book::read_page(one->english), book::read_file(path)));
  }
  return terminal::exit_holds;
}

}  // namespace

Command record_command(CLI::App& lab, const Shared& shared) {
  const auto keep = std::make_shared<bool>(false);
  auto* line = lab.add_subcommand("record", "")->group("");  // for maintainers
  line->add_flag("--keep", *keep, "only rewrite from the recorded histories");
  const auto compared = std::make_shared<std::vector<std::string>>();
  line->add_option("--compared", *compared, "Chinese pages that say what the English ones say now")
      ->option_text("PAGE ...");
  return {.line = line, .question = {}, .run = [keep, compared, &shared] {
            if (!compared->empty()) return note_comparison(*compared);
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return rewrite_documents(shared.options, *keep, reaper);
            });
          }};
}

}  // namespace app
