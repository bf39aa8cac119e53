#include "core/async_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "core/command_encoding.h"
#include "core/timeval.h"

namespace core {
namespace {

// The call had nothing to do yet, or was interrupted: the connection is in order.
bool is_transient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

AsyncConnection::AsyncConnection(const Address& address)
    : context_(address.unix_path.empty() ? redisConnectNonBlock(address.host.c_str(), address.port)
                                         : redisConnectUnixNonBlock(address.unix_path.c_str())) {
  if (broken()) return;
  // From now on each call says by its flags whether it waits.
  fcntl(descriptor(), F_SETFL, fcntl(descriptor(), F_GETFL) & ~O_NONBLOCK);
  // Sends a command without waiting for the reply to the previous one (tcp(7), Nagle's algorithm).
  // Since 1.0 hiredis sets this only for blocking connections. A unix socket refuses it, and does
  // not need it.
  const int no_delay = 1;
  setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
}

void AsyncConnection::send(std::span<const std::string_view> words) {
  encode_command(bytes_, words);
  send_bytes(bytes_);
}

void AsyncConnection::send_bytes(std::string_view command) {
  if (!broken()) queued_ += command;
}

short AsyncConnection::wants() const {
  return static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
}

void AsyncConnection::advance() {
  flush();
  while (receive()) {
  }
}

void AsyncConnection::flush() {
  while (has_unsent() && !broken()) {
    const auto count = ::send(descriptor(), queued_.data() + written_, queued_.size() - written_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      broken_ = !is_transient(errno);
      return;  // the socket takes no more for now
    }
    written_ += static_cast<std::size_t>(count);
  }
  if (has_unsent()) return;
  queued_.clear();
  written_ = 0;
}

bool AsyncConnection::receive() {
  return receive(MSG_DONTWAIT);
}

bool AsyncConnection::receive_within(std::chrono::milliseconds time) {
  if (!broken() && time != receive_timeout_) {
    const auto limit = to_timeval(time);
    setsockopt(descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    receive_timeout_ = time;
  }
  // SIGSTOP and SIGCONT interrupt the wait, even if something has arrived meanwhile: signal(7).
  return receive(0) || receive();
}

bool AsyncConnection::receive(int flags) {
  if (broken()) return false;
  std::array<char, 16'384> bytes;
  const auto count = recv(descriptor(), bytes.data(), bytes.size(), flags);
  if (count > 0) {
    redisReaderFeed(context_->reader, bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  broken_ = count == 0 || !is_transient(errno);
  return false;
}

std::optional<Reply> AsyncConnection::next() {
  void* raw = nullptr;
  if (!context_) return std::nullopt;
  // After a protocol error no later byte can be understood.
  if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK) broken_ = true;
  if (raw == nullptr) return std::nullopt;
  return Reply(static_cast<redisReply*>(raw));
}

}  // namespace core
