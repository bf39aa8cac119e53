#include "core/redis/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/redis/command_encoding.h"
#include "core/redis/connection_setup.h"
#include "core/redis/host_lookup.h"
#include "core/redis/sigpipe.h"
#include "core/redis/timeval.h"

namespace core {
namespace {

using Clock = std::chrono::steady_clock;

// The numeric addresses of the host.
std::vector<std::string> addresses_of(const Address& address, std::chrono::milliseconds limit) {
  if (HostLookup::is_numeric(address.host)) return {address.host};
  const auto lookup = HostLookup::of(address.host);
  if (!lookup->wait_for(limit)) {
    throw Unreachable(fmt::format("cannot connect to {}: its name is not resolved within {} ms",
                                  address.text(), limit.count()));
  }
  if (lookup->addresses().empty()) {
    throw Unreachable(fmt::format("cannot connect to {}: {}", address.text(), lookup->failure()));
  }
  return lookup->addresses();
}

}  // namespace

Connection::Connection(const Address& address, Timeouts timeouts)
    : address_(address.text()), longest_silence_(timeouts.command) {
  ignore_sigpipe();
  open(address, timeouts.connect);
  if (address.access && address.access->tls) encrypt(address, timeouts.connect);
  redisSetTimeout(context_.get(), to_timeval(timeouts.command));
  if (address.access || address.database != 0 || address.must_be_master) set_up(address);
}

void Connection::open(const Address& address, std::chrono::milliseconds limit) {
  const auto time = to_timeval(limit);
  if (!address.unix_path.empty()) {
    context_.reset(redisConnectUnixWithTimeout(address.unix_path.c_str(), time));
  } else {
    for (const auto& host : addresses_of(address, limit)) {
      context_.reset(redisConnectWithTimeout(host.c_str(), address.port, time));
      if (context_ && context_->err == 0) break;
    }
  }
  if (context_ == nullptr || context_->err != 0) {
    throw Unreachable(fmt::format("cannot connect to {}: {}", address_,
                                  context_ == nullptr ? "out of memory" : context_->errstr));
  }
}

void Connection::encrypt(const Address& address, std::chrono::milliseconds limit) {
  redisSetTimeout(context_.get(), to_timeval(limit));
  tls_.emplace(*address.access->tls, address.host, context_->fd);
  const auto until = Clock::now() + limit;
  for (;;) {
    const auto progress = tls_->handshake();
    if (progress == TlsSession::Progress::done) return;
    if (progress == TlsSession::Progress::failed && tls_->denied()) {
      throw AccessDenied(fmt::format("cannot trust {}: {}", address_, tls_->failure()));
    }
    if (progress == TlsSession::Progress::failed || Clock::now() >= until) {
      throw Unreachable(fmt::format("cannot connect to {} with TLS: {}", address_,
                                    progress == TlsSession::Progress::failed
                                        ? tls_->failure()
                                        : "timed out; does it speak TLS there?"));
    }
  }
}

void Connection::set_up(const Address& address) {
  const auto setup = ConnectionSetup::of(address);
  const bool sent = write(setup.bytes);
  for (std::size_t i = 0; i < setup.replies; ++i) {
    auto* raw = sent ? read() : nullptr;
    if (raw == nullptr)
      throw Unreachable(fmt::format("{} does not let us in: {}", address_, reason_));
    const Reply reply(raw);
    if (reply.is_error()) throw AccessDenied(setup_refused(address, reply.text()));
    if (auto replica = not_the_master(address, reply); !replica.empty()) {
      throw Unreachable(std::move(replica));
    }
  }
}

Reply Connection::command(std::span<const std::string_view> words) {
  send(words);
  return receive(words.front());
}

void Connection::send(std::span<const std::string_view> words,
                      std::span<const std::string_view> second) {
  encode_command(bytes_, words);
  if (!second.empty()) {
    std::string bytes;
    encode_command(bytes, second);
    bytes_ += bytes;
  }
  if (!write(bytes_)) throw lost_reply(words.front());
}

Reply Connection::receive(std::string_view what) {
  auto* raw = read();
  if (raw == nullptr) throw lost_reply(what);
  return Reply(raw);
}

LostReply Connection::lost_reply(std::string_view what) const {
  return LostReply(fmt::format("no reply from {} to {}: {}", address_, what, reason_));
}

bool Connection::write(std::string_view bytes) {
  if (tls_) return write_encrypted(bytes);
  while (!bytes.empty()) {
    const auto sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (is_broken(sent)) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

redisReply* Connection::read() {
  if (tls_) return read_encrypted();
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    if (auto* reply = next_reply(); reply != nullptr || !reason_.empty()) return reply;
    const auto count = recv(context_->fd, buffer.data(), buffer.size(), 0);
    if (is_broken(count)) return nullptr;
    if (count > 0)
      redisReaderFeed(context_->reader, buffer.data(), static_cast<std::size_t>(count));
  }
}

bool Connection::is_broken(ssize_t result) {
  // SIGSTOP and SIGCONT interrupt a call that has a timeout: signal(7).
  if (result > 0 || (result < 0 && errno == EINTR)) return false;
  const bool is_closed = result == 0 || errno == ECONNRESET;
  if (result == 0) {
    reason_ = "Server closed the connection";
  } else {
    reason_ = errno == EAGAIN ? "timed out" : std::generic_category().message(errno);
  }
  // As a port for TLS does with what is not TLS.
  if (is_closed && !tls_ && !was_answered_) reason_ += " at once; does it speak TLS (rediss://)?";
  return true;
}

bool Connection::write_encrypted(std::string_view bytes) {
  auto until = Clock::now() + longest_silence_;
  while (!bytes.empty()) {
    std::size_t count = 0;
    const auto progress = tls_->write(bytes, count);
    if (is_broken(progress, until)) return false;
    if (progress != TlsSession::Progress::done) continue;
    bytes.remove_prefix(count);
    until = Clock::now() + longest_silence_;
  }
  return true;
}

redisReply* Connection::read_encrypted() {
  auto until = Clock::now() + longest_silence_;
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    if (auto* reply = next_reply(); reply != nullptr || !reason_.empty()) return reply;
    std::size_t count = 0;
    const auto progress = tls_->read(buffer.data(), buffer.size(), count);
    if (is_broken(progress, until)) return nullptr;
    if (progress != TlsSession::Progress::done) continue;
    redisReaderFeed(context_->reader, buffer.data(), count);
    until = Clock::now() + longest_silence_;
  }
}

bool Connection::is_broken(TlsSession::Progress progress, Clock::time_point until) {
  if (progress == TlsSession::Progress::done) return false;
  const bool failed = progress == TlsSession::Progress::failed;
  if (failed || Clock::now() >= until) reason_ = failed ? tls_->failure() : "timed out";
  return !reason_.empty();
}

redisReply* Connection::next_reply() {
  void* raw = nullptr;
  if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK) reason_ = context_->reader->errstr;
  was_answered_ = was_answered_ || raw != nullptr;
  return static_cast<redisReply*>(raw);
}

bool Connection::is_alive() const {
  char byte = 0;
  const auto got = recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace core
