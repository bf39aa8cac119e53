#include "faults/world/monitoring.h"

#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "core/wrappers/heartbeats.h"
#include "faults/kit/errors.h"

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void Monitoring::start() {
  constexpr const char* program = LAB_MONITOR;
  if (!std::filesystem::exists(program)) {
    throw CannotRun(fmt::format("{} is not there: build the target lock_monitor", program));
  }
  // A holder that is silent for three thirds of a usual lease is taken for dead.
  const auto period = setup_.timing.lease() / 3;
  std::vector<std::string> arguments{program, "--period", std::to_string(period.count())};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    arguments.push_back(nodes_.at(i).address().text());
  }
  process_ = std::make_unique<Process>(Command{.program = program,
                                               .arguments = std::move(arguments),
                                               .environment = {},
                                               .log = setup_.directory / "monitor.log"},
                                       setup_.reaper);
  setup_.stalls.watch(process_->id());
  const auto deadline = steady_clock::now() + standstill;
  const auto channel = core::Heartbeats::channel;
  while (nodes_.at(0).direct().command({"PUBSUB", "NUMSUB", channel}).integer(1) != 1) {
    if (const auto end = process_->ending(milliseconds(1))) {
      throw CannotRun(fmt::format("the monitor did not start, it {}", end->text()));
    }
    if (steady_clock::now() > deadline) throw Stalled("the monitor does not listen");
  }
  clients_.set_heartbeats(nodes_.at(0).address(), period);
}

void Monitoring::cut_off(Client& client) {
  client.monitor_link().cut_off(Direction::command);
}

void Monitoring::await_freed() {
  const auto deadline = steady_clock::now() + Timing::boundary_timeout;
  while (nodes_.count_lock() > 0) {
    if (steady_clock::now() > deadline) {
      throw NotExercised("the monitor was to free the lock, and has not");
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  nodes_.catch_up();
  setup_.history.add("monitor", Kind::fault, {{"what", fault::freed}});
}

}  // namespace faults
