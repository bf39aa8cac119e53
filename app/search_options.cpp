#include "app/search_options.h"

#include <fmt/format.h>

#include "explore/search/words.h"

namespace app {

std::chrono::milliseconds SearchOptions::budget() const {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1'000));
}

explore::WorldPlan SearchOptions::world(const faults::Stage& stage,
                                        const faults::RedisBinary& redis) const {
  return {.stage = stage,
          .redis = redis,
          .clients = clients,
          .program = explore::program_named(operations),
          .judged = explore::properties_from(judged)};
}

std::vector<CLI::Option*> add_search_options(CLI::App& line, SearchOptions& chosen,
                                             const SearchLimits& limits) {
  return {
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

void add_duration_option(CLI::App& line, const std::string& name, SearchOptions& chosen,
                         const std::string& meaning) {
  line.add_option(name, chosen.seconds, meaning)
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->default_str(fmt::format("{:.0f}s", chosen.seconds));
}

}  // namespace app
