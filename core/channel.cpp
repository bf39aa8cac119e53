#include "core/channel.h"

#include <poll.h>

#include "core/sigpipe.h"
#include "core/wire.h"

namespace core {

Channel::Channel(const Address& address)
    : context_(address.unix_path.empty() ? redisConnectNonBlock(address.host.c_str(), address.port)
                                         : redisConnectUnixNonBlock(address.unix_path.c_str())) {
  keep_sigpipe_from_killing_us();
}

void Channel::send(std::span<const std::string_view> words) {
  put_command(bytes_, words);
  send_bytes(bytes_);
}

void Channel::send_bytes(std::string_view command) {
  if (broken()) return;
  redisAppendFormattedCommand(context_.get(), command.data(), command.size());
  unsent_ = true;
}

short Channel::wants() const {
  return static_cast<short>(unsent_ ? POLLIN | POLLOUT : POLLIN);
}

void Channel::advance() {
  flush();
  pollfd input{.fd = descriptor(), .events = POLLIN, .revents = 0};
  while (!broken() && poll(&input, 1, 0) > 0) receive();
}

void Channel::flush() {
  int done = 0;
  while (unsent_ && !broken() && redisBufferWrite(context_.get(), &done) == REDIS_OK) {
    unsent_ = done == 0;
    if (unsent_) break;  // the socket takes no more for now
  }
}

void Channel::receive() {
  if (!broken()) (void)redisBufferRead(context_.get());
}

std::optional<Reply> Channel::next() {
  void* raw = nullptr;
  if (!context_) return std::nullopt;
  // After what is no RESP nothing that comes can be understood.
  if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK) garbled_ = true;
  if (raw == nullptr) return std::nullopt;
  return Reply(static_cast<redisReply*>(raw));
}

}  // namespace core
