#include "faults/running/kept_run.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/running/result_text.h"

namespace faults {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

Execution judged_again(const fs::path& history) {
  const auto record = read_record(history);
  return {.boundary = record.empty() ? std::string{} : record.front().text("boundary"),
          .judgement = judge(record),
          .history = history};
}

// Every history in it, judged.
std::vector<Execution> executions_in(const fs::path& directory) {
  std::vector<Execution> executions;
  for (int i = 1; fs::exists(directory / std::to_string(i) / kept::history_file); ++i) {
    executions.push_back(judged_again(directory / std::to_string(i) / kept::history_file));
  }
  const auto undisturbed = directory / kept::undisturbed_directory / kept::history_file;
  if (executions.empty() && fs::exists(undisturbed)) {  // it came no further
    executions.push_back(judged_again(undisturbed));
  }
  if (!executions.empty()) return executions;
  throw CannotRun(
      fmt::format("{} holds no history: that run was ended before it began", directory.native()));
}

Result judge_what_is_in(const fs::path& directory) {
  std::ifstream file(directory / kept::run_file);
  const auto chosen = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!chosen.is_object() || !chosen.contains("stage") || !chosen.contains("scenario")) {
    throw CannotRun(
        fmt::format("{} is not the directory of a run: it has no run.json with a stage "
                    "and a scenario; runs are kept in runs/",
                    directory.native()));
  }
  Result result{.stage = chosen["stage"],
                .scenario = chosen["scenario"],
                .directory = directory,
                .executions = executions_in(directory),
                .again = chosen.value("again", std::string{})};
  result.at_default_lease = chosen.value(kept::at_default_lease, false);
  result.left_out = chosen.value(kept::left_out, std::string{});
  result.lock = lock_in(read_record(result.executions.front().history));
  if (chosen.value(kept::under_way, false)) {
    // The executions still to come might have shown something else.
    for (auto& execution : result.executions) {
      execution.judgement = {.verdict = Verdict::not_exercised,
                             .why = "this run broke off before it came to its end"};
    }
  }
  return result;
}

}  // namespace

bool broke_off(const fs::path& directory) {
  std::ifstream file(directory / kept::run_file);
  const auto chosen = json::parse(file, nullptr, /*allow_exceptions=*/false);
  return chosen.is_object() && chosen.value(kept::under_way, false);
}

Result judge_again(const fs::path& directory) {
  try {
    return judge_what_is_in(directory);
  } catch (const json::exception& error) {
    throw CannotRun(
        fmt::format("{} is not what a run leaves behind: {}", directory.native(), error.what()));
  }
}

}  // namespace faults
