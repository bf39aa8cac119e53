#include "bench/measure/worker_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "bench/measure/wrong_result.h"

namespace bench {
namespace {

std::string error_in(const std::string& line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  return object.is_object() ? object.value("error", line)
                            : "a client of the benchmark ended before its time";
}

}  // namespace

WorkerProcess::WorkerProcess(const Kit& kit, const WorkerPlan& plan,
                             const std::filesystem::path& log)
    : process_({.program = LAB_BENCH_WORKER, .arguments = {"worker"}, .log = log}, kit.reaper) {
  write_line(to_json(plan).dump());
  if (const auto line = read_line(); line != "ready") throw WrongResult(error_in(line));
}

void WorkerProcess::start(Nanoseconds begin, Nanoseconds end) {
  write_line(fmt::format("{} {}", begin.count(), end.count()));
}

Acquisitions WorkerProcess::acquisitions() {
  const auto line = read_line();
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_array()) throw WrongResult(error_in(line));
  return acquisitions_from(object);
}

void WorkerProcess::write_line(const std::string& text) {
  const auto line = text + "\n";
  if (write(process_.input().get(), line.data(), line.size()) < 0) {
    throw WrongResult("a client of the benchmark is gone");
  }
}

// A line may arrive in many pieces.
std::string WorkerProcess::read_line() {
  std::array<char, 65'536> bytes{};
  while (unread_.find('\n') == std::string::npos) {
    const auto count = read(process_.output().get(), bytes.data(), bytes.size());
    if (count <= 0) break;
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const auto end = std::min(unread_.find('\n'), unread_.size());
  auto line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

}  // namespace bench
