// `lab atlas`: every small lock that the parts make, and what each survives.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <stdexcept>

#include "faults/explore/atlas/findings.h"
#include "faults/explore/atlas/search_locks.h"
#include "faults/explore/atlas/smallest.h"
#include "faults/explore/atlas/table_text.h"
#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/kit/errors.h"
#include "tools/app/atlas_chapter.h"
#include "tools/app/commands.h"
#include "tools/book/documents.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* atlas_examples =
    "Examples:\n"
    "  ./lab atlas                                    all locks, as they were recorded\n"
    "  ./lab atlas acquire=set release=del            one of them, and what its parts are for\n"
    "  ./lab atlas acquire=set release=del --search   searches it again, and compares\n"
    "  ./lab explore atlas:acquire=set,release=del    the orders that break it\n"
    "  ./lab step atlas:acquire=set,release=del       you choose what happens to it\n"
    "\n"
    "The parts: acquire=setnx, setnx+expire, set or script; token=yes; release=none, del, compare\n"
    "or script; renewal=blind, compare or script; look=yes; fencing=incr.\n"
    "X mutual exclusion, R owner-only release, N owner-only renewal, L liveness, T truthful "
    "outcomes,\n"
    "F rising tokens are broken; ? the search did not end; * smallest: docs/atlas.md.\n"
    "Exit codes: 0 shown, or as recorded; 1 not as recorded; 2 could not run.";

struct AtlasChosen {
  std::vector<std::string> words;  // the parts of one lock; empty: all that are recorded
  bool search = false;
  bool record = false;
  atlas::Effort effort;
};

// Without a record: what there is to compare with.
std::vector<atlas::Parts> chosen_locks(const AtlasChosen& chosen) {
  if (chosen.words.empty() && chosen.record) return atlas::all_locks();
  if (chosen.words.empty()) {
    std::vector<atlas::Parts> locks;
    for (const auto& finding : atlas::read_findings(atlas::recorded_atlas())) {
      locks.push_back(finding.parts);
    }
    return locks;
  }
  try {
    const bool is_name = chosen.words.size() == 1 && atlas::names_atlas_lock(chosen.words.front());
    return {is_name ? atlas::parts_named(chosen.words.front()) : atlas::parts_from(chosen.words)};
  } catch (const std::invalid_argument& error) {
    throw faults::CannotRun(error.what());
  }
}

std::vector<atlas::Finding> search_atlas(const AtlasChosen& chosen,
                                         const terminal::Options& options, faults::Reaper& reaper) {
  const auto locks = chosen_locks(chosen);
  const auto redis = terminal::plan_for(options, reaper).redis;
  terminal::Progress progress(options.language("exploring"));
  std::vector<atlas::Finding> findings;
  for (const auto& parts : locks) {
    progress.change(options.language(fmt::format("exploring {} of {}: {}", findings.size() + 1,
                                                 locks.size(), atlas::name_of(parts))));
    findings.push_back(atlas::search_lock(parts, redis, chosen.effort, reaper));
  }
  return findings;
}

void show(const std::vector<atlas::Finding>& findings, const std::vector<atlas::Finding>& all,
          const terminal::Options& options) {
  if (options.json) {
    std::cout << atlas::to_text(findings);
  } else if (findings.size() == 1) {
    std::cout << options.language(atlas::lock_for_terminal(findings.front(), all));
  } else {
    std::cout << options.language(atlas::table_for_terminal(findings));
  }
}

// Names the locks that are not as recorded; returns the exit code.
int compare_with_recorded(const std::vector<atlas::Finding>& findings,
                          const std::vector<atlas::Finding>& recorded,
                          const terminal::Language& language) {
  int code = terminal::exit_holds;
  for (const auto& finding : findings) {
    const auto* same = atlas::find(finding.parts, recorded);
    if (same != nullptr && atlas::is_alike(*same, finding)) continue;
    code = terminal::exit_violated;
    std::cerr << fmt::format("lab: {}: {}\n", atlas::name_of(finding.parts),
                             language("not what faults/explore/atlas/atlas.json has"));
  }
  return code;
}

// The others stay as they were recorded.
void record(const std::vector<atlas::Finding>& found) {
  const auto all = atlas::recorded_with(atlas::read_findings(atlas::recorded_atlas()), found);
  book::write_file(atlas::recorded_atlas(), atlas::to_text(all));
  write_atlas_chapter(all);
}

int search_and_show(const terminal::Options& options, const AtlasChosen& chosen,
                    faults::Reaper& reaper) {
  const auto findings = search_atlas(chosen, options, reaper);
  if (chosen.record) record(findings);
  const auto recorded = atlas::read_findings(atlas::recorded_atlas());
  show(findings, recorded, options);
  return compare_with_recorded(findings, recorded, options.language);
}

int run_atlas(const terminal::Options& options, const AtlasChosen& chosen) {
  if (chosen.search) {
    return with_reaper(options.language, [&](faults::Reaper& reaper) {
      return search_and_show(options, chosen, reaper);
    });
  }
  const auto recorded = atlas::read_findings(atlas::recorded_atlas());
  auto findings = recorded;
  if (!chosen.words.empty()) {
    const auto parts = chosen_locks(chosen).front();
    const auto* found = atlas::find(parts, recorded);
    if (found == nullptr) {
      throw faults::CannotRun(atlas::name_of(parts) + " is not recorded; --search searches it");
    }
    findings = {*found};
  }
  show(findings, recorded, options);
  return terminal::exit_holds;
}

}  // namespace

Command atlas_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<AtlasChosen>();
  chosen->effort.workers = explore::OneCpu::count();
  auto* line = lab.add_subcommand("atlas", "every small lock that parts make: what each survives");
  line->footer(atlas_examples);
  line->add_option("parts", chosen->words, "of one lock, such as acquire=set release=del");
  auto* search = line->add_flag("--search", chosen->search, "searches again, and compares");
  line->add_flag("--record", chosen->record, "keeps what was found, and makes its chapter")
      ->needs(search);
  line->add_option("--most-orders", chosen->effort.most_orders, "of one search")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000))
      ->needs(search);
  line->add_option("--workers", chosen->effort.workers, "at once, each on a CPU of its own")
      ->check(CLI::Range(1, 64))
      ->default_str("one for each CPU")
      ->needs(search);
  add_json_flag(*line, shared);
  return {.line = line, .question = {}, .run = [chosen, &shared] {
            return run_atlas(shared.options, *chosen);
          }};
}

}  // namespace app
