// The results of a run, read back from Google Benchmark's JSON.
//
// Thread-safety: a value.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

// The counters of one case: a value for each repetition.
using Row = std::map<std::string, std::vector<double>>;

struct BenchmarkResults {
  std::map<std::string, std::string> machine;  // such as "kernel" and "redis"
  std::map<std::string, Row> rows;             // by the case's name
};

// Throws faults::CannotRun with a sentence that names `source` if it is not such a JSON.
[[nodiscard]] BenchmarkResults results_from(const nlohmann::json& object,
                                            const std::string& source);
// As above, from a file; also if it cannot be read.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace bench
