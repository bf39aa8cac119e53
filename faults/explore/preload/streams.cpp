// Waits for one descriptor: reads that block, and the writes that end the wait of another thread.
//
// A socket that a client connects gets a name of its own first, by which the explorer learns its
// process and its descriptor there.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/addresses.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/timers.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::address_of;
using explore::Instant;
using explore::no_limit;
using explore::raw_syscall;
using explore::returned;

struct DescriptorInfo {
  std::atomic<Instant> read_timeout;  // of reads that block, by SO_RCVTIMEO; 0: none
  std::atomic<bool> leads_out;        // to a server: what is written there wakes no thread here
  std::atomic<bool> is_event;         // eventfd(2): what is written there is for this process alone
};

constexpr std::size_t most_descriptors = 4'096;
std::array<DescriptorInfo, most_descriptors> infos;

// Null: it is too large a number.
DescriptorInfo* info_of(int descriptor) {
  const auto number = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && number < infos.size() ? &infos[number] : nullptr;
}

bool is_ready(int descriptor) {
  pollfd source{.fd = descriptor, .events = POLLIN, .revents = 0};
  const timespec none{};
  return raw_syscall(SYS_ppoll, address_of(&source), 1, address_of(&none), 0, 8) != 0;
}

bool never_blocks(int descriptor) {
  const auto flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

// Waits until `descriptor` can be read, if reading it would block. Otherwise returns what a read
// fails with: it took too long, or a signal's handler has run.
int await_input(int descriptor) {
  if (!explore::counts_waits() || is_ready(descriptor) || never_blocks(descriptor)) return 0;
  explore::note_output();
  const auto* info = info_of(descriptor);
  const Instant timeout = info == nullptr ? 0 : info->read_timeout.load();
  const auto until = timeout == 0 ? no_limit : explore::after(timeout);
  const auto restarts = timeout == 0 ? explore::Restarts::yes : explore::Restarts::no;
  const explore::Wait wait{.what = explore::WaitsFor::descriptors,
                           .until = until,
                           .descriptor_count = 1,
                           .descriptors = &descriptor};
  for (;;) {
    const auto seen = explore::generation();
    explore::ring_due_timers();
    if (is_ready(descriptor)) return 0;
    if (explore::now() >= until) return EAGAIN;
    if (explore::rest(wait, seen, restarts) == explore::Woken::by_signal) return EINTR;
  }
}

template <typename Read>
ssize_t read_when_there(int descriptor, bool waits, Read read) {
  const int failed = waits ? await_input(descriptor) : 0;
  return returned<ssize_t>(failed == 0 ? read() : -failed);
}

// No process waits for what is written into a file.
bool is_file(int descriptor) {
  struct stat about {};
  const auto failed =
      raw_syscall(SYS_newfstatat, descriptor, address_of(""), address_of(&about), AT_EMPTY_PATH);
  return failed == 0 && S_ISREG(about.st_mode);
}

// A participant has written something: others may wait for that.
void note_write(int descriptor) {
  const auto* info = info_of(descriptor);
  if (info != nullptr && info->is_event.load()) return explore::notify_all_descriptors();
  if (!is_file(descriptor)) explore::note_activity();
}

// A thread of this process may wait at the other end for what was written.
ssize_t after_write(int descriptor, ssize_t written) {
  if (explore::is_participant()) {
    if (written > 0) note_write(descriptor);
    return written;
  }
  if (written <= 0 || !explore::counts_waits() || descriptor <= 2) return written;
  const auto* info = info_of(descriptor);
  if (info == nullptr || !info->leads_out.load()) explore::notify_all_descriptors();
  return written;
}

// False: that is no address of the world. Otherwise `descriptor` is another socket then.
bool leads_to_world(int descriptor, const sockaddr* address, sockaddr_un& instead) {
  const auto* prefix = std::getenv(explore::sockets_variable);
  const int port = explore::loopback_port(address);
  return prefix != nullptr && port != 0 && explore::becomes_unix(descriptor, port, prefix, instead);
}

void forget(int descriptor) {
  if (auto* info = info_of(descriptor)) {
    info->read_timeout.store(0);
    info->leads_out.store(false);
    info->is_event.store(false);
  }
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* bytes, std::size_t size) {
  const auto count = read_when_there(descriptor, true, [&] {
    return raw_syscall(SYS_read, descriptor, address_of(bytes), static_cast<long>(size));
  });
  if (count > 0) explore::count_expirations(descriptor, bytes);
  return count;
}

ssize_t __read_chk(int descriptor, void* bytes, std::size_t size, std::size_t /*room*/) {
  return read(descriptor, bytes, size);
}

ssize_t readv(int descriptor, const iovec* parts, int count) {
  return read_when_there(descriptor, true, [&] {
    return raw_syscall(SYS_readv, descriptor, address_of(parts), count);
  });
}

ssize_t recvfrom(int descriptor, void* bytes, std::size_t size, int flags, sockaddr* from,
                 socklen_t* from_size) {
  return read_when_there(descriptor, (flags & MSG_DONTWAIT) == 0, [&] {
    return raw_syscall(SYS_recvfrom, descriptor, address_of(bytes), static_cast<long>(size), flags,
                       address_of(from), address_of(from_size));
  });
}

ssize_t recv(int descriptor, void* bytes, std::size_t size, int flags) {
  return recvfrom(descriptor, bytes, size, flags, nullptr, nullptr);
}

ssize_t __recv_chk(int descriptor, void* bytes, std::size_t size, std::size_t /*room*/, int flags) {
  return recvfrom(descriptor, bytes, size, flags, nullptr, nullptr);
}

ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  return read_when_there(descriptor, (flags & MSG_DONTWAIT) == 0, [&] {
    return raw_syscall(SYS_recvmsg, descriptor, address_of(message), flags);
  });
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return after_write(descriptor,
                     returned<ssize_t>(raw_syscall(SYS_write, descriptor, address_of(bytes),
                                                   static_cast<long>(size))));
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  return after_write(
      descriptor, returned<ssize_t>(raw_syscall(SYS_writev, descriptor, address_of(parts), count)));
}

ssize_t sendto(int descriptor, const void* bytes, std::size_t size, int flags, const sockaddr* to,
               socklen_t to_size) {
  return after_write(descriptor,
                     returned<ssize_t>(raw_syscall(SYS_sendto, descriptor, address_of(bytes),
                                                   static_cast<long>(size), flags, address_of(to),
                                                   static_cast<long>(to_size))));
}

ssize_t send(int descriptor, const void* bytes, std::size_t size, int flags) {
  return sendto(descriptor, bytes, size, flags, nullptr, 0);
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  return after_write(descriptor, returned<ssize_t>(raw_syscall(SYS_sendmsg, descriptor,
                                                               address_of(message), flags)));
}

int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

int eventfd(unsigned value, int flags) noexcept {
  const int descriptor = returned(raw_syscall(SYS_eventfd2, static_cast<long>(value), flags));
  if (auto* info = info_of(descriptor)) info->is_event.store(true);
  return descriptor;
}

int connect(int descriptor, const sockaddr* address, socklen_t size) {
  forget(descriptor);
  sockaddr_un instead{};
  if (explore::is_client() && leads_to_world(descriptor, address, instead)) {
    const auto* other = reinterpret_cast<const sockaddr*>(&instead);
    return connect(descriptor, other, sizeof instead);
  }
  if (explore::is_client() && address->sa_family == AF_UNIX) {
    explore::name_socket(descriptor, explore::this_process().id.load());
  }
  const int result =
      returned(raw_syscall(SYS_connect, descriptor, address_of(address), static_cast<long>(size)));
  auto* info = info_of(descriptor);
  if (result == 0 && info != nullptr) info->leads_out.store(!explore::is_participant());
  explore::note_activity();
  return result;
}

int setsockopt(int descriptor, int level, int option, const void* value, socklen_t size) noexcept {
  auto* info = info_of(descriptor);
  // A socket that leads out may have been one of TCP (addresses.h).
  if (level == IPPROTO_TCP && info != nullptr && info->leads_out.load()) return 0;
  const bool is_timeout = level == SOL_SOCKET && option == SO_RCVTIMEO && size == sizeof(timeval);
  if (!is_timeout || info == nullptr || !explore::counts_waits()) {
    return returned(raw_syscall(SYS_setsockopt, descriptor, level, option, address_of(value),
                                static_cast<long>(size)));
  }
  timeval timeout{};
  std::memcpy(&timeout, value, sizeof timeout);
  info->read_timeout.store(timeout.tv_sec * explore::second + Instant{timeout.tv_usec} * 1'000);
  return 0;
}

int shutdown(int descriptor, int how) noexcept {
  const int result = returned(raw_syscall(SYS_shutdown, descriptor, how));
  explore::note_activity();
  return result;
}

int close(int descriptor) {
  const bool is_noted = explore::is_participant() && !is_file(descriptor);
  explore::forget_timer(descriptor);
  forget(descriptor);
  const auto result = raw_syscall(SYS_close, descriptor);
  if (is_noted) explore::note_activity();
  return returned(result);
}

}  // extern "C"
