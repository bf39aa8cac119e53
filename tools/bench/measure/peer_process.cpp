#include "tools/bench/measure/peer_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/bench/measure/wrong_result.h"

namespace bench {
namespace {

using nlohmann::json;

faults::Command command_of(const faults::TestedLock& lock, const std::vector<core::Address>& nodes,
                           const std::filesystem::path& log) {
  std::vector<std::string> addresses;
  for (const auto& node : nodes) addresses.push_back(node.text());
  auto environment = lock.environment;
  environment["LOCK_CLIENT"] = "bench";
  environment["LOCK_NODES"] = fmt::format("{}", fmt::join(addresses, ","));
  environment["LOCK_STORAGE"] = addresses.front();  // it is connected to, and asked nothing
  return {.program = lock.command.front(),
          .arguments = lock.command,
          .environment = std::move(environment),
          .log = log};
}

}  // namespace

PeerProcess::PeerProcess(const Kit& kit, const faults::TestedLock& lock,
                         const std::vector<core::Address>& nodes, const std::filesystem::path& log)
    : lock_(lock.name), process_(kit, command_of(lock, nodes, log)) {
  process_.write_line(json({{"id", 1}, {"op", "hello"}}).dump());
  (void)answer();
}

void PeerProcess::start(std::chrono::milliseconds time) {
  constexpr int patience_ms = 60'000;
  const json request{{"id", 2},
                     {"op", "repeat"},
                     {"key", "lock"},
                     {"for_ms", time.count()},
                     {"wait_ms", patience_ms}};
  process_.write_line(request.dump());
}

double PeerProcess::pairs() {
  return answer().at("pairs").get<double>();
}

json PeerProcess::answer() {
  for (;;) {
    const auto line = process_.read_line();
    auto object = json::parse(line, nullptr, false);
    if (!object.is_object() || object.contains("error")) {
      throw WrongResult(fmt::format("{}: {}", lock_, error_in(line)));
    }
    if (!object.contains("event")) return object;
  }
}

}  // namespace bench
