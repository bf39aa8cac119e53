#include "core/redis/connect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/redis/reply.h"

namespace core {
namespace {

using Progress = TlsSession::Progress;

bool is_plain(const Address& address) {
  return !address.unix_path.empty() || HostLookup::is_numeric(address.host);
}

Progress progress_of(ssize_t count) {
  if (count > 0) return Progress::done;
  const bool waits = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return waits ? Progress::wants_to_read : Progress::failed;
}

}  // namespace

ConnectAttempt::ConnectAttempt(const Address& address) : address_(address) {
  if (address.discovery) {
    server_lookup_ = ServerLookup::of(address);
  } else {
    begin();
  }
}

void ConnectAttempt::begin() {
  setup_ = ConnectionSetup::of(address_);
  step_ = is_plain(address_) ? Step::connect : Step::resolve;
  if (step_ == Step::resolve) lookup_ = HostLookup::of(address_.host);
}

bool ConnectAttempt::is_needed(const Address& address) {
  return address.discovery || address.access || address.database != 0 || address.must_be_master ||
         !is_plain(address);
}

int ConnectAttempt::descriptor(const Context& context) const {
  if (step_ == Step::locate) return server_lookup_->to_poll().fd;
  if (step_ == Step::resolve) return lookup_->to_poll().fd;
  return context ? context->fd : -1;
}

ConnectAttempt::State ConnectAttempt::advance(Context& context, std::unique_ptr<TlsSession>& tls) {
  // A step that is done leads to the next, or is the last.
  for (;;) {
    const auto step = step_;
    auto state = State::failed;
    switch (step) {
      case Step::locate: state = locate(); break;
      case Step::resolve: state = resolve(); break;
      case Step::connect: state = connect(context); break;
      case Step::await_connection: state = await_connection(context); break;
      case Step::encrypt: state = encrypt(context, tls); break;
      case Step::set_up: state = set_up(context, tls.get()); break;
    }
    if (state != State::done || step == Step::set_up) return state;
  }
}

ConnectAttempt::State ConnectAttempt::locate() {
  wants_ = POLLIN;
  if (!server_lookup_->is_done()) return State::under_way;
  if (!server_lookup_->failure().empty()) return fail(server_lookup_->failure());
  address_ = server_lookup_->found().server;
  named_by_ = server_lookup_->found().named_by;
  begin();
  return State::done;
}

ConnectAttempt::State ConnectAttempt::resolve() {
  wants_ = POLLIN;
  if (!lookup_->is_done()) return State::under_way;
  if (lookup_->addresses().empty()) {
    return fail(fmt::format("cannot connect to {}: {}", address_.text(), lookup_->failure()));
  }
  step_ = Step::connect;
  return State::done;
}

ConnectAttempt::State ConnectAttempt::connect(Context& context) {
  const auto& host = lookup_ ? lookup_->addresses()[tried_] : address_.host;
  ++tried_;
  context.reset(address_.unix_path.empty() ? redisConnectNonBlock(host.c_str(), address_.port)
                                           : redisConnectUnixNonBlock(address_.unix_path.c_str()));
  if (!context) return fail("out of memory");
  if (context->err != 0) return connect_elsewhere(context->errstr);
  step_ = Step::await_connection;
  return State::done;
}

ConnectAttempt::State ConnectAttempt::await_connection(const Context& context) {
  wants_ = POLLOUT;
  pollfd socket{.fd = context->fd, .events = POLLOUT, .revents = 0};
  if (poll(&socket, 1, 0) == 0) return State::under_way;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(context->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return connect_elsewhere(std::strerror(error));
  step_ = address_.access && address_.access->tls ? Step::encrypt : Step::set_up;
  return State::done;
}

ConnectAttempt::State ConnectAttempt::encrypt(const Context& context,
                                              std::unique_ptr<TlsSession>& tls) {
  try {
    // The socket of a TLS session never blocks; on others each call says by its flags if it waits.
    if (!tls) tls = std::make_unique<TlsSession>(*address_.access->tls, address_.host, context->fd);
  } catch (const AccessDenied& error) {
    return fail(error.what());
  }
  const auto progress = tls->handshake();
  wants_ = progress == Progress::wants_to_write ? POLLOUT : POLLIN;
  if (progress == Progress::failed) {
    return fail(fmt::format("cannot {} {}{}: {}", tls->denied() ? "trust" : "connect to",
                            address_.text(), tls->denied() ? "" : " with TLS", tls->failure()));
  }
  if (progress != Progress::done) return State::under_way;
  step_ = Step::set_up;
  return State::done;
}

ConnectAttempt::State ConnectAttempt::set_up(Context& context, TlsSession* tls) {
  while (setup_.replies > 0) {
    const auto state = setup_.bytes.empty() ? read_setup(context, tls) : send_setup(context, tls);
    if (state != State::done) return state;
  }
  return State::done;
}

ConnectAttempt::State ConnectAttempt::send_setup(const Context& context, TlsSession* tls) {
  std::size_t count = 0;
  auto progress = Progress::done;
  if (tls != nullptr) {
    progress = tls->write(setup_.bytes, count);
  } else {
    const auto sent =
        ::send(context->fd, setup_.bytes.data(), setup_.bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    progress = progress_of(sent);
    count = progress == Progress::done ? static_cast<std::size_t>(sent) : 0;
  }
  wants_ = POLLIN | POLLOUT;
  if (progress == Progress::failed) return fail("the connection ended before AUTH");
  setup_.bytes.erase(0, count);
  return progress == Progress::done ? State::done : State::under_way;
}

ConnectAttempt::State ConnectAttempt::read_setup(Context& context, TlsSession* tls) {
  wants_ = POLLIN;
  void* raw = nullptr;
  while (redisReaderGetReply(context->reader, &raw) == REDIS_OK && raw != nullptr) {
    const Reply reply(static_cast<redisReply*>(std::exchange(raw, nullptr)));
    if (reply.is_error()) return fail(setup_refused(address_, reply.text()));
    if (auto replica = not_the_master(address_, reply); !replica.empty()) return fail(replica);
    if (--setup_.replies == 0) return State::done;
  }
  std::array<char, 16 * 1024> bytes;
  std::size_t count = 0;
  auto progress = Progress::done;
  if (tls != nullptr) {
    progress = tls->read(bytes.data(), bytes.size(), count);
  } else {
    const auto got = recv(context->fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    progress = progress_of(got);
    count = progress == Progress::done ? static_cast<std::size_t>(got) : 0;
  }
  if (progress == Progress::failed || context->reader->err != 0) {
    return fail(fmt::format("{} does not let us in: {}", address_.text(),
                            tls != nullptr ? tls->failure() : "the connection was closed"));
  }
  if (progress != Progress::done) return State::under_way;
  redisReaderFeed(context->reader, bytes.data(), count);
  return State::done;
}

ConnectAttempt::State ConnectAttempt::fail(std::string sentence) {
  failure_ = std::move(sentence);
  return State::failed;
}

ConnectAttempt::State ConnectAttempt::connect_elsewhere(std::string_view reason) {
  if (lookup_ && tried_ < lookup_->addresses().size()) {
    step_ = Step::connect;
    return State::done;
  }
  return fail(fmt::format("cannot connect to {}: {}", address_.text(), reason));
}

}  // namespace core
