// A worker as in production, whose numbers Prometheus reads at http://127.0.0.1:PORT/metrics: it
// holds one lock, works, leaves it alone, and comes again, until it is killed. draw_dashboard runs
// three.
//
//   REDIS_URL=redis://127.0.0.1:6379 exporter_worker PORT
#include <prometheus/exposer.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "core/wrappers/observed_lock.h"
#include "production/exporter/prometheus_observer.h"
#include "stage6_reentrant/lock.h"

namespace {

using std::chrono::milliseconds;

void work_forever(core::Lock& lock) {
  std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> work_ms(20, 60);
  for (;;) {
    if (lock.acquire(lock.usual_waiting()) == core::Acquire::acquired) {
      std::this_thread::sleep_for(milliseconds(work_ms(random)));
      (void)lock.release();  // the observer hears of the outcome
    }
    std::this_thread::sleep_for(milliseconds(work_ms(random)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* url = std::getenv("REDIS_URL");
  if (url == nullptr || argc != 2) {
    std::cerr << "set REDIS_URL, and say: exporter_worker PORT\n";
    return 2;
  }
  try {
    const auto registry = std::make_shared<prometheus::Registry>();
    const auto numbers = std::make_shared<exporter::PrometheusObserver>("orders", *registry);
    prometheus::Exposer exposer(std::string("127.0.0.1:") + argv[1]);
    exposer.RegisterCollectable(registry);
    core::Server server(core::Address::parse(url));
    stage6::Lock lock(server, "lock:orders",
                      {.default_lease = milliseconds(3'000), .observer = numbers});
    core::ObservedLock observed(lock, numbers);
    work_forever(observed);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
