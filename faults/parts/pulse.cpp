#include "faults/parts/pulse.h"

#include <stop_token>

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds step{5};

void beat(const std::stop_token& stop, History& history, milliseconds tolerable) {
  while (!stop.stop_requested()) {
    const auto due = steady_clock::now() + step;
    std::this_thread::sleep_until(due);
    const auto late = std::chrono::duration_cast<milliseconds>(steady_clock::now() - due);
    if (late > tolerable) history.add("", Kind::stood_still, {{"for_ms", late.count()}});
  }
}

}  // namespace

Pulse::Pulse(History& history, milliseconds tolerable)
    : thread_(
          [&history, tolerable](const std::stop_token& stop) { beat(stop, history, tolerable); }) {}

}  // namespace faults
