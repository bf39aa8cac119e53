#include "faults/explore/world/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "faults/kit/errors.h"

namespace explore {
namespace {

sockaddr_un address_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw faults::CannotRun(fmt::format(
        "{} is too long a path for a unix socket; point TMPDIR at a directory with a shorter name",
        path.native()));
  }
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

faults::Descriptor new_socket(int flags = 0) {
  faults::Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (made.get() < 0) {
    throw faults::CannotRun(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  }
  return made;
}

const sockaddr* general(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

faults::Descriptor listen_at(const std::filesystem::path& path) {
  auto listener = new_socket(SOCK_NONBLOCK);
  const auto address = address_at(path);
  constexpr int backlog = 64;
  if (bind(listener.get(), general(address), sizeof address) != 0 ||
      listen(listener.get(), backlog) != 0) {
    throw faults::CannotRun(
        fmt::format("cannot listen at {}: {}", path.native(), std::strerror(errno)));
  }
  return listener;
}

faults::Descriptor connect_to(const std::filesystem::path& path) {
  auto made = new_socket();
  const auto address = address_at(path);
  if (connect(made.get(), general(address), sizeof address) != 0) {
    throw faults::CannotRun(
        fmt::format("cannot connect to {}: {}", path.native(), std::strerror(errno)));
  }
  return made;
}

std::optional<Accepted> accept_from(const faults::Descriptor& listener) {
  sockaddr_un name{};
  socklen_t size = sizeof name;
  Accepted accepted{.socket = faults::Descriptor(accept4(
                        listener.get(), reinterpret_cast<sockaddr*>(&name), &size, SOCK_CLOEXEC))};
  if (accepted.socket.get() < 0) return std::nullopt;
  // faults/explore/preload/streams.cpp gives it that name; the rest of it is zero.
  int process = 0;
  (void)std::sscanf(&name.sun_path[1], "lab/%d/%d", &process, &accepted.descriptor);
  return accepted;
}

void hang_up(const faults::Descriptor& socket) {
  if (socket.get() >= 0) (void)shutdown(socket.get(), SHUT_RDWR);
}

bool send_all(const faults::Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool send_line(const faults::Descriptor& pipe, std::string line) {
  line += '\n';
  return write(pipe.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

void never_block(const faults::Descriptor& pipe) {
  fcntl(pipe.get(), F_SETFL, fcntl(pipe.get(), F_GETFL) | O_NONBLOCK);
}

Received receive_all(const faults::Descriptor& stream) {
  Received received;
  for (;;) {
    std::array<char, 16'384> bytes;
    auto count = recv(stream.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && errno == ENOTSOCK) count = read(stream.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return received;
    received.ended = count <= 0;
    if (received.ended) return received;
    received.bytes.append(bytes.data(), static_cast<std::size_t>(count));
    if (static_cast<std::size_t>(count) < bytes.size()) return received;
  }
}

Received wait_and_receive(const faults::Descriptor& socket) {
  pollfd source{.fd = socket.get(), .events = POLLIN, .revents = 0};
  if (poll(&source, 1, static_cast<int>(faults::standstill.count())) == 0) {
    throw faults::Stalled("a server did not answer");
  }
  return receive_all(socket);
}

}  // namespace explore
