#include "stage6_reentrant/bell.h"

#include <utility>

#include "stage6_reentrant/listener.h"

namespace stage6 {

void Ring::ring() {
  {
    const std::lock_guard guard(mutex);
    ++count;
  }
  waiters.notify_all();
}

Bell::Bell(core::Address server, std::string channel)
    : server_(std::move(server)), channel_(std::move(channel)) {}

void Bell::wait(std::uint64_t heard, std::chrono::microseconds time, const std::stop_token& stop) {
  std::call_once(listens_, [this] {
    listener_ = Listener::of_this_process();
    listener_->listen(ring_, server_, channel_);
  });
  std::unique_lock lock(ring_->mutex);
  ring_->waiters.wait_for(lock, stop, time, [&] { return rung() > heard; });
}

}  // namespace stage6
