#include "explore/world/ready_set.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "faults/kit/errors.h"

namespace explore {

ReadySet::ReadySet() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_.get() >= 0) return;
  throw faults::CannotRun(fmt::format("cannot watch descriptors: {}", std::strerror(errno)));
}

void ReadySet::add(const faults::Descriptor& descriptor, void* tag) {
  epoll_event event{.events = EPOLLIN, .data = {.ptr = tag}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor.get(), &event) == 0) return;
  throw faults::CannotRun(fmt::format("cannot watch a descriptor: {}", std::strerror(errno)));
}

void ReadySet::remove(const faults::Descriptor& descriptor) {
  (void)epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor.get(), nullptr);
}

std::vector<void*> ReadySet::ready() const {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.get(), events.data(), events.size(), 0);
  std::vector<void*> found;
  for (int i = 0; i < count; ++i) {
    void* const tag = events[static_cast<std::size_t>(i)].data.ptr;  // the event is packed
    found.push_back(tag);
  }
  return found;
}

}  // namespace explore
