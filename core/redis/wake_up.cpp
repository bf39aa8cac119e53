#include "core/redis/wake_up.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace core {

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

WakeUp::~WakeUp() {
  close(event_);
}

void WakeUp::wake() {
  const std::uint64_t one = 1;
  (void)!write(event_, &one, sizeof one);
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  (void)!read(event_, &count, sizeof count);
}

}  // namespace core
