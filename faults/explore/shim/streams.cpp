// Waits for one descriptor, the writes that end the wait of another thread, and sockets: those of
// TCP lead to the explorer (faults/explore/preload/addresses.h), and still seem to be of TCP.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "faults/explore/preload/addresses.h"
#include "faults/explore/shim/call_families.h"
#include "faults/explore/shim/shim_process.h"

namespace explore::shim {
namespace {

// By descriptor: the port that its socket was connected to; 0: it does not lead to the explorer.
constexpr std::size_t most_descriptors = 4'096;
constinit std::array<std::atomic<std::uint16_t>, most_descriptors> ports{};

std::atomic<std::uint16_t>* port_at(long descriptor) {
  const auto number = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && number < ports.size() ? &ports.at(number) : nullptr;
}

bool leads_out(long descriptor) {
  const auto* port = port_at(descriptor);
  return port != nullptr && port->load() != 0;
}

bool never_blocks(long descriptor) {
  const auto flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

long in_kernel(const Call& call) {
  const auto& [a, b, c, d, e, f] = call.arguments;
  return raw_syscall(call.number, a, b, c, d, e, f);
}

long read_when_there(const Call& call, int flags = 0) {
  const int descriptor = static_cast<int>(call.arguments[0]);
  if ((flags & MSG_DONTWAIT) == 0 && !never_blocks(descriptor)) {
    const Wait wait{
        .what = WaitsFor::descriptors, .descriptor_count = 1, .descriptors = &descriptor};
    const auto found = rest_until_found(wait, [&] {
      pollfd source{.fd = descriptor, .events = POLLIN, .revents = 0};
      const timespec none{};
      constexpr long size_of_mask = 8;
      return raw_syscall(SYS_ppoll, address_of(&source), 1, address_of(&none), 0, size_of_mask);
    });
    if (found == -EINTR) return found;
  }
  return in_kernel(call);
}

// A thread of this process may wait at the other end for what was written.
long write_and_notify(const Call& call) {
  constexpr long last_standard = 2;
  const auto written = in_kernel(call);
  note_activity();
  const auto descriptor = call.arguments[0];
  if (written > 0 && descriptor > last_standard && !leads_out(descriptor)) notify_all_descriptors();
  return written;
}

long change_and_notify(const Call& call) {
  const auto result = in_kernel(call);
  note_activity();
  notify_all_descriptors();
  return result;
}

long connect_out(const Call& call, int port) {
  const auto descriptor = static_cast<int>(call.arguments[0]);
  sockaddr_un instead{};
  if (!becomes_unix(descriptor, port, process.sockets, instead)) return -ENETUNREACH;
  name_socket(descriptor, process.entry->id.load());
  const auto result = raw_syscall(SYS_connect, descriptor, address_of(&instead), sizeof instead);
  if (auto* kept = port_at(descriptor); kept != nullptr && result == 0) {
    kept->store(static_cast<std::uint16_t>(port));
  }
  return result;
}

long connect(const Call& call) {
  const auto* address = reinterpret_cast<const sockaddr*>(call.arguments[1]);
  const int port = loopback_port(address);
  if (port != 0 && process.sockets != nullptr) return connect_out(call, port);
  const auto result = in_kernel(call);
  note_activity();
  return result;
}

// Go takes a socket whose ends are alike for one that is connected to itself.
long name_end(const Call& call) {
  const auto& [descriptor, address, size, d, e, f] = call.arguments;
  if (!leads_out(descriptor)) return in_kernel(call);
  constexpr int first_own_port = 30'000;
  const bool is_other_end = call.number == SYS_getpeername;
  const auto port = is_other_end ? ports.at(static_cast<std::size_t>(descriptor)).load()
                                 : first_own_port + descriptor;
  sockaddr_in shown{};
  shown.sin_family = AF_INET;
  shown.sin_port = htons(static_cast<std::uint16_t>(port));
  shown.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto& room = *reinterpret_cast<socklen_t*>(size);
  std::memcpy(reinterpret_cast<void*>(address), &shown, std::min<std::size_t>(room, sizeof shown));
  room = sizeof shown;
  return 0;
}

long set_option(const Call& call) {
  const bool is_of_tcp = call.arguments[1] == IPPROTO_TCP || call.arguments[1] == IPPROTO_IPV6;
  if (is_of_tcp && leads_out(call.arguments[0])) return 0;
  const auto option = call.arguments[2];
  const bool is_limit = option == SO_RCVTIMEO || option == SO_SNDTIMEO;
  if (call.arguments[1] == SOL_SOCKET && is_limit) refuse("SO_RCVTIMEO");
  return in_kernel(call);
}

long close(const Call& call) {
  const bool was_out = leads_out(call.arguments[0]);
  if (auto* port = port_at(call.arguments[0])) port->store(0);
  return was_out ? in_kernel(call) : change_and_notify(call);
}

}  // namespace

std::optional<long> use_stream(const Call& call) {
  const auto& given = call.arguments;
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4: return read_when_there(call);
    case SYS_recvfrom: return read_when_there(call, static_cast<int>(given[3]));
    case SYS_recvmsg: return read_when_there(call, static_cast<int>(given[2]));
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg: return write_and_notify(call);
    case SYS_shutdown:
    case SYS_epoll_ctl: return change_and_notify(call);
    case SYS_connect: return connect(call);
    case SYS_getsockname:
    case SYS_getpeername: return name_end(call);
    case SYS_setsockopt: return set_option(call);
    case SYS_close: return close(call);
    default: return {};
  }
}

}  // namespace explore::shim
