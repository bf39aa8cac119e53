// The monitor as a program, one for a system. A second one waits until the first is gone: they
// have a lock of their own.
#include <CLI/CLI.hpp>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <thread>

#include "production/monitor/monitor.h"
#include "stage5_watchdog/lock.h"

namespace {

// Monitors until the own lock is lost, or `stop` is requested.
void monitor_under_lock(core::Server& server, monitor::Monitor& monitor,
                        const std::stop_token& stop) {
  stage5::Lock lock(server, "lock-monitor", {.default_lease = std::chrono::seconds(10)});
  if (lock.acquire(lock.usual_waiting(), stop) != core::Acquire::acquired) return;
  std::cout << "monitors" << std::endl;
  std::stop_source ended;
  const std::stop_callback when_told(stop, [&] { ended.request_stop(); });
  const std::stop_callback when_lost(lock.lost(), [&] { ended.request_stop(); });
  monitor.run(ended.get_token());
  lock.unlock();
}

int run(const std::vector<std::string>& nodes, const std::string& post,
        monitor::Patience patience) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread
  std::vector<core::Address> addresses;
  for (const auto& node : nodes) addresses.push_back(core::Address::parse(node));
  const auto heard_at = post.empty() ? addresses.front() : core::Address::parse(post);
  core::Server server(addresses.front());
  monitor::Monitor monitor(addresses, heard_at, patience,
                           [](const std::string& sentence) { std::cout << sentence << std::endl; });
  const std::jthread thread([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      try {
        monitor_under_lock(server, monitor, stop);
      } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, stop, patience.period, [] { return false; });
      }
    }
  });
  int number = 0;
  sigwait(&signals, &number);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Frees the locks of holders whose heartbeats stay away.", "lock_monitor");
  std::vector<std::string> nodes;
  std::string post;
  monitor::Patience patience;
  int period = static_cast<int>(patience.period.count());
  app.add_option("servers", nodes, "the locks' servers, as addresses or URLs")->required();
  app.add_option("--heartbeats", post, "the server where they are heard; the first, if not given");
  app.add_option("--period", period, "of the heartbeats, ms")->check(CLI::Range(10, 3'600'000));
  app.add_option("--missed", patience.missed, "how many a dead holder has missed")
      ->check(CLI::Range(1, 1'000));
  CLI11_PARSE(app, argc, argv);
  patience.period = std::chrono::milliseconds(period);
  try {
    return run(nodes, post, patience);
  } catch (const std::exception& error) {
    std::cerr << "lock_monitor: " << error.what() << '\n';
    return 2;
  }
}
