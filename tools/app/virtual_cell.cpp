#include "tools/app/virtual_cell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "faults/kit/process.h"
#include "faults/kit/temp_dir.h"
#include "faults/running/kept_run.h"

namespace app {
namespace {

std::string output_of(faults::Process& process) {
  const int descriptor = process.output().get();
  std::string text;
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto size = ::read(descriptor, bytes.data(), bytes.size());
    if (size > 0) text.append(bytes.data(), static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR)) return text;
  }
}

// Why it could not run: the last line that it wrote to standard error.
std::string last_words_in(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string last = "it said nothing";
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view name = "lab: ";
  return last.starts_with(name) ? last.substr(name.size()) : last;
}

}  // namespace

faults::Result run_cell_in_virtual_time(const faults::TestedLock& stage,
                                        const faults::Scenario& scenario,
                                        const faults::RunPlan& plan, faults::Reaper& reaper) {
  const faults::TempDir directory(reaper);
  const auto log = directory.path() / "log";
  std::vector<std::string> arguments{"./lab",   "run",    stage.name, scenario.name,     "--time",
                                     "virtual", "--json", "--runs",   plan.runs.native()};
  if (stage.at_default_lease) arguments.emplace_back("--default-lease");
  if (!plan.redis.name.empty()) arguments.insert(arguments.end(), {"--redis", plan.redis.name});
  faults::Process process({.program = "/proc/self/exe",
                           .arguments = std::move(arguments),
                           .environment = {},
                           .log = log},
                          reaper);
  const auto output = output_of(process);
  (void)process.ending(faults::standstill);
  const auto results = nlohmann::json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (!results.is_array() || results.empty() || !results.front().contains("run")) {
    throw faults::CannotRun(
        fmt::format("{} on {}: {}", scenario.name, stage.name, last_words_in(log)));
  }
  return faults::judge_again(results.front()["run"].get<std::string>());
}

}  // namespace app
