#include "core/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/command_encoding.h"
#include "core/error.h"
#include "core/sigpipe.h"
#include "core/timeval.h"

namespace core {
namespace {

redisContext* open(const Address& address, timeval timeout) {
  return address.unix_path.empty()
             ? redisConnectWithTimeout(address.host.c_str(), address.port, timeout)
             : redisConnectUnixWithTimeout(address.unix_path.c_str(), timeout);
}

}  // namespace

Connection::Connection(const Address& address, Timeouts timeouts) : address_(address.text()) {
  ignore_sigpipe();
  context_.reset(open(address, to_timeval(timeouts.connect)));
  if (context_ == nullptr || context_->err != 0) {
    throw Unreachable(fmt::format("cannot connect to {}: {}", address_,
                                  context_ == nullptr ? "out of memory" : context_->errstr));
  }
  redisSetTimeout(context_.get(), to_timeval(timeouts.command));
}

Reply Connection::command(std::span<const std::string_view> words) {
  encode_command(bytes_, words);
  redisAppendFormattedCommand(context_.get(), bytes_.data(), bytes_.size());
  void* raw = nullptr;
  (void)redisGetReply(context_.get(), &raw);
  if (raw == nullptr) {
    throw LostReply(fmt::format(
        "no reply from {} to {}: {}", address_, words.front(),
        context_->err == REDIS_ERR_IO && errno == EAGAIN ? "timed out" : context_->errstr));
  }
  return Reply(static_cast<redisReply*>(raw));
}

bool Connection::is_alive() const {
  char byte = 0;
  const auto got = recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace core
