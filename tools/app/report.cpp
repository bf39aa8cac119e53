// `lab report`: the table as a web page; tools/report/ makes it.
#include "tools/report/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "tools/app/commands.h"
#include "tools/terminal/options.h"

namespace app {
namespace {

constexpr const char* report_examples =
    "Examples:\n"
    "  ./lab report                               runs the table, writes report.html\n"
    "  ./lab report --out lesson.html --jobs 2    with less going on at once\n"
    "  ./lab report --from runs/OLD-table         of an earlier table; runs nothing";

int make_page(const terminal::Options& options, const report::Choice& choice,
              faults::Reaper& reaper) {
  const int code = report::make_report(options, choice, reaper);
  const auto megabytes = static_cast<double>(std::filesystem::file_size(choice.out)) / 1e6;
  std::cout << options.language(
      fmt::format("wrote {} ({:.1f} MB): open it in a browser\n", choice.out.native(), megabytes));
  return code;
}

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
              return make_page(shared.options, *choice, reaper);
            });
          }};
}

}  // namespace app
