#include "faults/kit/reserved_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <random>

#include "faults/kit/errors.h"

namespace faults {
namespace {

bool binds(const Descriptor& socket, const void* address, std::size_t size) {
  return bind(socket.get(), static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)) ==
         0;
}

bool is_free(int port) {
  const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return binds(probe, &address, sizeof address);
}

// A socket of that port's name, in the namespace that vanishes with its socket (unix(7), abstract);
// none if another has it.
Descriptor reserve(int port) {
  Descriptor reservation(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = fmt::format("lock-lab-port-{}", port);
  std::copy(name.begin(), name.end(), address.sun_path + 1);  // the first byte, 0, says abstract
  const auto size = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  return binds(reservation, &address, size) ? std::move(reservation) : Descriptor();
}

}  // namespace

ReservedPort::ReservedPort(PortRange range) {
  const int count = range.last - range.first + 1;
  const auto start = static_cast<int>(std::random_device()() % static_cast<unsigned>(count));
  for (int i = 0; i < count; ++i) {
    number_ = range.first + (start + i) % count;
    reservation_ = reserve(number_);
    if (reservation_.get() >= 0 && is_free(number_)) return;
  }
  throw CannotRun(
      fmt::format("no port of 127.0.0.1 from {} to {} is free", range.first, range.last));
}

}  // namespace faults
