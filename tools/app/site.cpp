// `lab site`: the book as a folder of static pages; tools/site/ makes it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <utility>

#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "tools/app/commands.h"
#include "tools/book/documents.h"
#include "tools/field/html_page.h"
#include "tools/field/report_data.h"
#include "tools/report/report.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/language.h"
#include "tools/terminal/spawn.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr const char* site_examples =
    "Examples:\n"
    "  ./lab site                                 runs the table, writes site/\n"
    "  ./lab site --from runs/OLD-table           with an earlier table; runs nothing\n"
    "  ./lab site --no-report --out /tmp/pages    the book alone\n"
    "\n"
    "Open site/index.html in a browser: it needs no server and no network.\n"
    "Exit codes: 0 written, 1 written and a cell is not as declared, 2 not written.";

struct SiteChoice {
  fs::path out = "site";
  report::Choice report;
  bool without_report = false;
};

// Starts the generator, whose words go to the file `said`. Returns them; throws CannotRun with them
// if it failed.
std::string generate(const std::vector<std::string>& options, const fs::path& said) {
  std::vector<std::string> command{"python3", LAB_SOURCE_DIR "/tools/site/build.py"};
  command.insert(command.end(), options.begin(), options.end());
  const int output = open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto child = terminal::spawn(command, {.output = output, .errors = output});
  (void)close(output);
  if (child < 0) throw faults::CannotRun("python3 is not there; install the package python3");
  const bool has_written = terminal::await_end(child) == 0;
  auto text = book::read_file(said);
  while (text.ends_with('\n')) text.pop_back();
  if (has_written) return text;
  throw faults::CannotRun(text.empty() ? "the site was not written" : text);
}

int make_site(const terminal::Options& options, const SiteChoice& choice, faults::Reaper& reaper) {
  const faults::TempDir made(reaper);
  const auto said = made.path() / "said";
  std::vector<std::string> parts{"--out=" + choice.out.native()};
  (void)generate({parts.front(), "--check-out"}, said);  // the table takes minutes
  int code = terminal::exit_holds;
  if (!choice.without_report) {
    auto report = choice.report;
    report.out = made.path() / "report.html";
    code = report::make_report(options, report, reaper);
    parts.insert(parts.end(), {"--report", report.out.native()});
    const auto data = field::read_report_data(fs::path(LAB_SOURCE_DIR) / "docs/field-report.json");
    for (const auto& [option, name] : {std::pair{"--field", "en"}, std::pair{"--field-zh", "zh"}}) {
      const auto page = made.path() / name;
      book::write_file(page, field::html_page(data, terminal::Language::named(name)));
      parts.insert(parts.end(), {option, page.native()});
    }
  }
  std::string wrote;
  {
    const terminal::Progress progress(options.language("writing the pages"));
    wrote = generate(parts, said);
  }
  std::cout << options.language(wrote) << '\n';
  return code;
}

}  // namespace

Command site_command(CLI::App& lab, const Shared& shared) {
  const auto choice = std::make_shared<SiteChoice>();
  auto* line = lab.add_subcommand("site", "the book and the report as a folder of web pages");
  line->footer(site_examples);
  line->add_option("--out", choice->out, "the folder to write")
      ->capture_default_str()
      ->check([](const std::string& folder) {
        return folder.empty() || folder.starts_with('-') ? "needs a folder" : "";
      });
  auto* from = line->add_option("--from", choice->report.from,
                                "what an earlier table left below runs/; runs nothing");
  auto* jobs = line->add_option("--jobs", choice->report.jobs, "how many cells at once")
                   ->check(CLI::Range(1, 256))
                   ->excludes(from);
  line->add_flag("--no-report", choice->without_report, "without the report and the field's table")
      ->excludes(from)
      ->excludes(jobs);
  return {.line = line, .question = {}, .run = [choice, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return make_site(shared.options, *choice, reaper);
            });
          }};
}

}  // namespace app
