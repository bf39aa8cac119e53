// A process that begins others of its program.
//
// A new process takes most of its time to load and link its libraries. A template has done that,
// and stops there: before `main`, before it has a thread or a socket. Each process that it begins
// (clone(2)) is a copy of that moment, and continues from there as if it had been started itself:
// its own memory, its own `main`. It is a child of the explorer, as if the explorer had started
// it.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/kit/reaper.h"

namespace explore {
namespace {

struct Request {
  std::array<char, Beginning::most_bytes> variables;
  std::size_t size = 0;
  std::array<int, Beginning::count> descriptors{};
};

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const auto made = static_cast<int>(raw_syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC));
  const auto failed = raw_syscall(SYS_connect, made, address_of(&address), sizeof address);
  return failed == 0 ? made : -1;
}

// False: the explorer has closed the socket.
bool receive(int socket, Request& request) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof request.descriptors)> beside{};
  iovec bytes{.iov_base = request.variables.data(), .iov_len = request.variables.size()};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = beside.data();
  message.msg_controllen = beside.size();
  const auto size = raw_syscall(SYS_recvmsg, socket, address_of(&message), MSG_CMSG_CLOEXEC);
  const auto* header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || header == nullptr) return false;
  request.size = static_cast<std::size_t>(size);
  std::memcpy(request.descriptors.data(), CMSG_DATA(header), sizeof request.descriptors);
  return true;
}

// A copy of this process, whose parent is the explorer. The C library knows its only thread by the
// number that it keeps where the kernel clears it at the end.
long begin_copy() {
  int* thread = nullptr;
  const auto failed = raw_syscall(SYS_prctl, PR_GET_TID_ADDRESS, address_of(&thread));
  if (failed != 0) return failed;
  constexpr auto flags =
      static_cast<long>(CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID) | SIGCHLD;
#if defined(__x86_64__)
  return raw_syscall(SYS_clone, flags, 0, 0, address_of(thread), 0);
#else
  return raw_syscall(SYS_clone, flags, 0, 0, 0, address_of(thread));
#endif
}

void answer(int socket, long result) {
  const auto said = static_cast<std::int32_t>(result);
  (void)raw_syscall(SYS_sendto, socket, address_of(&said), sizeof said, MSG_NOSIGNAL);
}

// In the new process.
void become(const Request& request, int socket) {
  const auto& given = request.descriptors;
  if (!faults::Reaper::add_this_process(given[Beginning::reaper])) _exit(127);
  setpgid(0, 0);
  answer(socket, getpid());  // not earlier: it could not be ended with its group
  dup2(given[Beginning::input], STDIN_FILENO);
  dup2(given[Beginning::output], STDOUT_FILENO);
  dup2(given[Beginning::log], STDERR_FILENO);
  (void)raw_syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  unsetenv(template_variable);
  // `putenv` keeps their addresses: they must outlive this call.
  static Request kept;
  kept = request;
  for (std::size_t at = 0; at < kept.size; at += std::strlen(&kept.variables[at]) + 1) {
    putenv(&kept.variables[at]);
  }
}

}  // namespace

void serve_as_template() {
  const char* path = std::getenv(template_variable);
  if (path == nullptr) return;
  const int socket = connect_to(path);
  if (socket < 0) _exit(127);
  Request request;
  while (receive(socket, request)) {
    const auto begun = begin_copy();
    if (begun == 0) return become(request, socket);
    if (begun < 0) answer(socket, begun);
    for (const auto descriptor : request.descriptors) (void)raw_syscall(SYS_close, descriptor);
  }
  _exit(0);
}

}  // namespace explore
