#include "stage6_reentrant/inbox.h"

#include <map>
#include <utility>

namespace stage6 {

std::shared_ptr<Inbox> Inbox::of(const core::Address& server) {
  static std::mutex mutex;
  static std::map<core::Address, std::weak_ptr<Inbox>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[server];
  auto inbox = known.lock();
  if (!inbox) {
    inbox = std::make_shared<Inbox>(server);
    known = inbox;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return inbox;
}

void Inbox::wait(Place& place, std::uint64_t heard, std::chrono::microseconds time,
                 const std::stop_token& stop) {
  std::call_once(listens_, [this] {
    listener_ = Listener::of_this_process();
    listener_->listen(places_, server_, channel_);
  });
  if (places_->begin_to_wait(place)) listener_->hurry();
  place.bell().wait(heard, time, stop);
}

}  // namespace stage6
