// The commands of the program, one a file. Each adds its own part of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "faults/kit/reaper.h"
#include "tools/terminal/options.h"

namespace app {

// The flags that all commands share. The command line fills them.
struct Shared {
  terminal::Options options;
  bool predict = true;  // ask what will happen, before it does
  bool no_color = false;
  std::string language;  // empty: that of the environment
};

struct Command {
  CLI::App* line = nullptr;  // its part of the command line
  std::string question;      // asked if an argument is missing
  std::function<int()> run;  // returns the exit code; throws CannotRun, which is exit code 2
};

// Adds those flags to `lab`; chooses the colours and the language, when they were parsed. Throws
// CannotRun.
void add_shared_flags(CLI::App& lab, Shared& shared);
void choose_look(Shared& shared);

// Each adds a command to `lab`. The results keep a reference to `shared`.
[[nodiscard]] Command atlas_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command bench_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command diff_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command explore_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command judge_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command learn_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command list_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command field_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command free_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command model_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command record_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command replay_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command report_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command run_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command servers_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command site_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command soak_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command step_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command suite_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command table_command(CLI::App& lab, Shared& shared);
[[nodiscard]] Command tour_command(CLI::App& lab, const Shared& shared);
[[nodiscard]] Command watch_command(CLI::App& lab, Shared& shared);

// For commands that start servers and clients: `work` gets the reaper that ends them all, also on
// Ctrl-C, which it says in `language`. Returns its exit code.
[[nodiscard]] int with_reaper(const terminal::Language& language,
                              const std::function<int(faults::Reaper&)>& work);

// The same on several commands: output for a machine; the time; the address of a live server.
CLI::Option* add_json_flag(CLI::App& line, Shared& shared);
// Which time a run has: "real", or "virtual" (faults/explore/virtual_time/keeper.h).
CLI::Option* add_time_option(CLI::App& line, std::string& time);
// What is known of a --client that cannot be seen: a file.
CLI::Option* add_facts_option(CLI::App& line, std::filesystem::path& facts);
void add_server_option(CLI::App& line, std::string& server);

}  // namespace app
