#include "faults/explore/preload/addresses.h"

#include <fcntl.h>
#include <netinet/in.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/shared_page.h"

namespace explore {
namespace {

// The port, if it is one of this machine's own; otherwise 0.
int local_port(const sockaddr* address) {
  if (address->sa_family != AF_INET) return 0;
  sockaddr_in internet{};
  std::memcpy(&internet, address, sizeof internet);
  const auto host = ntohl(internet.sin_addr.s_addr);
  return host >> 24U == IN_LOOPBACKNET ? ntohs(internet.sin_port) : 0;
}

// Replaces `descriptor` by another socket with the same flags.
bool replace_by_unix_socket(int descriptor) {
  const auto flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
  const auto on_exec = raw_syscall(SYS_fcntl, descriptor, F_GETFD);
  const int nonblocking = (flags & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0;
  const auto fresh = raw_syscall(SYS_socket, AF_UNIX, SOCK_STREAM | nonblocking, 0);
  if (flags < 0 || fresh < 0) return false;
  const auto replaced =
      raw_syscall(SYS_dup3, fresh, descriptor, (on_exec & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  (void)raw_syscall(SYS_close, fresh);
  return replaced == descriptor;
}

}  // namespace

bool becomes_unix(int descriptor, const sockaddr* address, sockaddr_un& instead) {
  const auto* prefix = std::getenv(sockets_variable);
  const int port = local_port(address);
  if (prefix == nullptr || port == 0) return false;
  instead = {};
  instead.sun_family = AF_UNIX;
  const int size =
      std::snprintf(instead.sun_path, sizeof instead.sun_path, "%s%d.sock", prefix, port);
  const bool fits = size > 0 && static_cast<std::size_t>(size) < sizeof instead.sun_path;
  return fits && replace_by_unix_socket(descriptor);
}

}  // namespace explore
