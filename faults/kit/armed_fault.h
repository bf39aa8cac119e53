// One armed fault as a link sees it: which boundary it waits for, and the gate that holds a message
// back there.
//
// Thread-safety: the loop's thread only, but for `fired` and `passed`.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <utility>

#include "faults/kit/command_names.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"

namespace faults {

// When a timer expires that is there to be cancelled.
inline constexpr auto never_by_itself = asio::steady_timer::time_point::max();

// Keeps a coroutine waiting until `timer` is cancelled; it expires `never_by_itself`.
inline asio::awaitable<void> wait_for_cancel(asio::steady_timer& timer) {
  asio::error_code cancelled;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

class ArmedFault {
 public:
  ArmedFault(asio::io_context& context, FaultPoint point, Action action,
             std::chrono::milliseconds delay)
      : point_(std::move(point)), action_(action), delay_(delay), gate_(context, never_by_itself) {}

  // True if this is the boundary it is for. Counts the ones before it.
  [[nodiscard]] bool claims(const Boundary& boundary) {
    if (disarmed_ || boundary.direction != point_.direction) return false;
    if (boundary.script_is_unknown) return false;  // the command was not carried out
    const auto& wanted = point_.command;
    const bool is_it = wanted == boundary.command || wanted == boundary.label;
    if (wanted.empty() ? sets_up_connection(boundary.command) : !is_it) return false;
    return ++seen_ == point_.nth;
  }

  [[nodiscard]] Action action() const { return action_; }
  [[nodiscard]] std::chrono::milliseconds delay() const { return delay_; }
  [[nodiscard]] const FaultPoint& point() const { return point_; }

  // Keeps a coroutine waiting until `open_gate`.
  [[nodiscard]] asio::awaitable<void> wait_at_gate() {
    while (!open_) co_await wait_for_cancel(gate_);
  }

  void open_gate() {
    open_ = true;
    gate_.cancel();
  }

  void disarm() {
    disarmed_ = true;
    open_gate();
  }

  // The scenario came to its end, and the message that is held back was never delivered.
  void note_if_still_held() { forgotten_ = still_held != nullptr; }
  [[nodiscard]] bool is_forgotten() const { return forgotten_; }

  Once fired;
  Once passed;                       // the message is on its way again
  std::function<bool()> still_held;  // set while a message is held back
  std::function<bool()> is_lost;     // set when something was swallowed

 private:
  const FaultPoint point_;
  const Action action_;
  const std::chrono::milliseconds delay_;
  int seen_ = 0;
  bool disarmed_ = false;
  bool forgotten_ = false;
  bool open_ = false;
  asio::steady_timer gate_;
};

}  // namespace faults
