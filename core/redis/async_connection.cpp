#include "core/redis/async_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "core/redis/command_encoding.h"
#include "core/redis/timeval.h"

namespace core {
namespace {

// The call had nothing to do yet, or was interrupted: the connection is in order.
bool is_transient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

// As recv(2) and send(2) would say it.
ssize_t result_of(TlsSession::Progress progress, std::size_t count) {
  if (progress == TlsSession::Progress::done) return static_cast<ssize_t>(count);
  errno = progress == TlsSession::Progress::failed ? ECONNRESET : EAGAIN;
  return -1;
}

}  // namespace

AsyncConnection::AsyncConnection(const Address& address) {
  if (ConnectAttempt::is_needed(address)) {
    attempt_ = std::make_unique<ConnectAttempt>(address);
    (void)is_opening();
    return;
  }
  context_.reset(address.unix_path.empty()
                     ? redisConnectNonBlock(address.host.c_str(), address.port)
                     : redisConnectUnixNonBlock(address.unix_path.c_str()));
  if (!broken()) set_socket_options();
}

bool AsyncConnection::is_opening() {
  if (!attempt_) return false;
  const auto state = attempt_->advance(context_, tls_);
  if (state == ConnectAttempt::State::under_way) return true;
  if (state == ConnectAttempt::State::failed) {
    failure_ = attempt_->failure();
    broken_ = true;
  } else {
    set_socket_options();
  }
  named_by_ = attempt_->named_by();
  attempt_.reset();
  return false;
}

void AsyncConnection::set_socket_options() {
  // From now on each call says by its flags whether it waits. (OpenSSL's calls have no flags.)
  if (!tls_) fcntl(descriptor(), F_SETFL, fcntl(descriptor(), F_GETFL) & ~O_NONBLOCK);
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
  if (attempt_) return attempt_->wants();
  return static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
}

void AsyncConnection::advance() {
  flush();
  while (receive()) {
  }
}

void AsyncConnection::flush() {
  if (is_opening()) return;
  while (has_unsent() && !broken()) {
    const auto count = write_some(std::string_view(queued_).substr(written_));
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
  if (attempt_ || tls_) {
    pollfd source{.fd = descriptor(), .events = wants(), .revents = 0};
    poll(&source, 1, static_cast<int>(time.count()));
    flush();
    return receive();
  }
  if (!broken() && time != receive_timeout_) {
    const auto limit = to_timeval(time);
    setsockopt(descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    receive_timeout_ = time;
  }
  // SIGSTOP and SIGCONT interrupt the wait, even if something has arrived meanwhile: signal(7).
  return receive(0) || receive();
}

bool AsyncConnection::receive(int flags) {
  if (is_opening() || broken()) return false;
  std::array<char, 16'384> bytes;
  const auto count = read_some(bytes.data(), bytes.size(), flags);
  if (count > 0) {
    redisReaderFeed(context_->reader, bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  broken_ = count == 0 || !is_transient(errno);
  return false;
}

ssize_t AsyncConnection::read_some(char* bytes, std::size_t size, int flags) {
  if (!tls_) return recv(descriptor(), bytes, size, flags);
  std::size_t count = 0;
  const auto progress = tls_->read(bytes, size, count);
  return result_of(progress, count);
}

ssize_t AsyncConnection::write_some(std::string_view bytes) {
  if (!tls_) return ::send(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  std::size_t count = 0;
  const auto progress = tls_->write(bytes, count);
  return result_of(progress, count);
}

std::optional<Reply> AsyncConnection::next() {
  void* raw = nullptr;
  if (!context_ || attempt_) return std::nullopt;
  // After a protocol error no later byte can be understood.
  if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK) broken_ = true;
  if (raw == nullptr) return std::nullopt;
  return Reply(static_cast<redisReply*>(raw));
}

}  // namespace core
