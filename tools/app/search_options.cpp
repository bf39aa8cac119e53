#include "tools/app/search_options.h"

#include <fmt/format.h>

#include "faults/explore/search/option_names.h"

namespace app {
namespace {

constexpr double seconds_of_an_hour = 3'600;
constexpr double most_hours = 1'000;

// Says why it is none; empty: it is one.
std::string must_be_a_time(const std::string& seconds) {
  const auto count = std::stod(seconds);
  if (count >= 0 && count <= most_hours * seconds_of_an_hour) return {};
  return fmt::format("a time is not negative, and at most {:.0f}h", most_hours);
}

}  // namespace

explore::WorldPlan SearchOptions::world(const faults::TestedLock& stage,
                                        const faults::RedisBinary& redis) const {
  return {.stage = stage,
          .redis = redis,
          .clients = clients,
          .lease = stage.pace().lease,
          .program = explore::program_named(operations),
          .judged = explore::properties_from(judged)};
}

std::vector<CLI::Option*> add_search_options(CLI::App& line, SearchOptions& chosen,
                                             const SearchLimits& limits) {
  return {
      line.add_option("--nodes", chosen.nodes,
                      "on how many servers, of a lock on several, such as 7")
          ->check(CLI::Range(1, 15)),
      line.add_option("--clients", chosen.clients, "how many want the lock")
          ->capture_default_str()
          ->check(CLI::Range(1, limits.clients)),
      line.add_option("--operations", chosen.operations,
                      "what each does: once (acquire, work, release), nested, again, or "
                      "waiting")
          ->capture_default_str(),
      line.add_option("--faults", chosen.faults,
                      "the kinds that may happen, of clients or servers: " + explore::to_words(~0U))
          ->capture_default_str(),
      line.add_option("--at-most", chosen.at_most, "so many faults in one run")
          ->capture_default_str()
          ->check(CLI::Range(0, limits.faults)),
      line.add_option("--judge", chosen.judged,
                      "only that property, such as \"owner-only release\"")};
}

CLI::Option* add_duration_option(CLI::App& line, const std::string& name,
                                 std::chrono::milliseconds& time, const std::string& meaning) {
  const std::map<std::string, double> units{{"s", 1}, {"min", 60}, {"h", seconds_of_an_hour}};
  return line
      .add_option_function<double>(
          name,
          [&time](double seconds) {
            time = std::chrono::milliseconds(static_cast<long>(seconds * 1'000));
          },
          meaning)
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->check(must_be_a_time)
      ->default_str(fmt::format("{}s", time.count() / 1'000));
}

}  // namespace app
