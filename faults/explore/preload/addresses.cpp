#include "faults/explore/preload/addresses.h"

#include <fcntl.h>
#include <netinet/in.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "faults/explore/preload/raw_syscall.h"

namespace explore {
namespace {

bool is_loopback(std::uint32_t host) {
  return ntohl(host) >> 24U == IN_LOOPBACKNET;
}

// Writes text into a name, as far as there is room.
class NameWriter {
 public:
  NameWriter(char* begin, std::size_t room) : at_(begin), end_(begin + room) {}

  NameWriter& text(const char* text) {
    for (; *text != '\0'; ++text) put(*text);
    return *this;
  }
  NameWriter& number(std::uint32_t number) {
    std::array<char, 10> digits{};
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  [[nodiscard]] char* end() const { return at_; }
  [[nodiscard]] bool fits() const { return at_ != end_; }

 private:
  void put(char letter) {
    if (at_ != end_) *at_++ = letter;
  }

  char* at_;
  char* const end_;
};

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

int loopback_port(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in internet{};
    std::memcpy(&internet, address, sizeof internet);
    return is_loopback(internet.sin_addr.s_addr) ? ntohs(internet.sin_port) : 0;
  }
  if (address->sa_family != AF_INET6) return 0;
  sockaddr_in6 internet{};
  std::memcpy(&internet, address, sizeof internet);
  std::uint32_t mapped = 0;
  std::memcpy(&mapped, &internet.sin6_addr.s6_addr[12], sizeof mapped);
  const bool is_own = IN6_IS_ADDR_LOOPBACK(&internet.sin6_addr) ||
                      (IN6_IS_ADDR_V4MAPPED(&internet.sin6_addr) && is_loopback(mapped));
  return is_own ? ntohs(internet.sin6_port) : 0;
}

bool becomes_unix(int descriptor, int port, const char* prefix, sockaddr_un& instead) {
  instead = {};
  instead.sun_family = AF_UNIX;
  NameWriter path(instead.sun_path, sizeof instead.sun_path - 1);
  path.text(prefix).number(static_cast<std::uint32_t>(port)).text(".sock");
  return path.fits() && replace_by_unix_socket(descriptor);
}

void name_socket(int descriptor, std::int32_t process) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // The first byte is 0: a name that no file has (unix(7)).
  NameWriter writer(&name.sun_path[1], sizeof name.sun_path - 1);
  writer.text("lab/").number(static_cast<std::uint32_t>(process));
  writer.text("/").number(static_cast<std::uint32_t>(descriptor));
  (void)raw_syscall(SYS_bind, descriptor, address_of(&name),
                    static_cast<long>(writer.end() - reinterpret_cast<char*>(&name)));
}

}  // namespace explore
