// `lab report`: the table as a web page; tools/report/ makes it.
#include "tools/report/report.h"

#include <memory>

#include "tools/app/commands.h"

namespace app {
namespace {

constexpr const char* report_examples =
    "Examples:\n"
    "  ./lab report                               runs the table, writes report.html\n"
    "  ./lab report --out lesson.html --jobs 2    with less going on at once\n"
    "  ./lab report --from runs/OLD-table         of an earlier table; runs nothing";

}  // namespace

Command report_command(CLI::App& lab, const Shared& shared) {
  const auto choice = std::make_shared<report::Choice>();
  auto* line = lab.add_subcommand("report", "the table, its timelines and the price as a web page");
  line->footer(report_examples);
  line->add_option("--out", choice->out, "the file to write")->capture_default_str();
  auto* from = line->add_option("--from", choice->from,
                                "what an earlier table left below runs/; runs nothing");
  line->add_option("--bench", choice->bench, "the results.json of a benchmark; else the newest");
  line->add_flag("--hide-verdicts", choice->hides_verdicts,
                 "show no verdict before it was guessed: for a course");
  line->add_option("--jobs", choice->jobs, "how many cells at once")
      ->check(CLI::Range(1, 256))
      ->excludes(from);
  return {.line = line, .question = {}, .run = [choice, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return report::make_report(shared.options, *choice, reaper);
            });
          }};
}

}  // namespace app
