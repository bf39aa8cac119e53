#include "faults/explore/world/ready_set.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <cerrno>
#include <cstring>

#include "faults/kit/errors.h"

namespace explore {
namespace {

// Fills `events` with those that can be read, as far as there is room; returns how many.
std::size_t look(int epoll, std::vector<epoll_event>& events) {
  const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 0);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace

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
  std::vector<epoll_event> events(64);
  auto count = look(epoll_.get(), events);
  while (count == events.size()) {  // there may be more
    events.resize(2 * events.size());
    count = look(epoll_.get(), events);
  }
  std::vector<void*> found;
  for (std::size_t i = 0; i < count; ++i) {
    void* const tag = events[i].data.ptr;  // the event is packed
    found.push_back(tag);
  }
  return found;
}

}  // namespace explore
