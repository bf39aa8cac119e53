#include "core/channel.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "core/timeval.h"
#include "core/wire.h"

namespace core {
namespace {

// A call that was told not to wait has nothing to tell yet, or was interrupted.
bool is_no_error(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Channel::Channel(const Address& address)
    : context_(address.unix_path.empty() ? redisConnectNonBlock(address.host.c_str(), address.port)
                                         : redisConnectUnixNonBlock(address.unix_path.c_str())) {
  if (broken()) return;
  // From now on each call says whether it waits.
  fcntl(descriptor(), F_SETFL, fcntl(descriptor(), F_GETFL) & ~O_NONBLOCK);
  // A command does not wait for the answer to the one before: tcp(7). Since 1.0 hiredis does not
  // see to that where it does not wait for the connection. On a unix socket there is nothing to see
  // to.
  const int at_once = 1;
  setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void Channel::send(std::span<const std::string_view> words) {
  put_command(bytes_, words);
  send_bytes(bytes_);
}

void Channel::send_bytes(std::string_view command) {
  if (!broken()) queued_ += command;
}

short Channel::wants() const {
  return static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
}

void Channel::advance() {
  flush();
  while (receive()) {
  }
}

void Channel::flush() {
  while (has_unsent() && !broken()) {
    const auto count = ::send(descriptor(), queued_.data() + written_, queued_.size() - written_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      broken_ = !is_no_error(errno);
      return;  // the socket takes no more for now
    }
    written_ += static_cast<std::size_t>(count);
  }
  if (has_unsent()) return;
  queued_.clear();
  written_ = 0;
}

bool Channel::receive() {
  return receive(MSG_DONTWAIT);
}

bool Channel::receive_within(std::chrono::milliseconds time) {
  if (!broken() && time != patience_) {
    const auto limit = to_timeval(time);
    setsockopt(descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    patience_ = time;
  }
  // A stop and a continue interrupt the wait, also where something has come meanwhile: signal(7).
  return receive(0) || receive();
}

bool Channel::receive(int flags) {
  if (broken()) return false;
  std::array<char, 16 * 1024> bytes;
  const auto count = recv(descriptor(), bytes.data(), bytes.size(), flags);
  if (count > 0) {
    redisReaderFeed(context_->reader, bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  broken_ = count == 0 || !is_no_error(errno);
  return false;
}

std::optional<Reply> Channel::next() {
  void* raw = nullptr;
  if (!context_) return std::nullopt;
  // After what is no RESP nothing that comes can be understood.
  if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK) broken_ = true;
  if (raw == nullptr) return std::nullopt;
  return Reply(static_cast<redisReply*>(raw));
}

}  // namespace core
