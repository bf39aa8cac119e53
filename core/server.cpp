#include "core/server.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace core {
namespace {

Reply throw_if_error(Reply reply, std::string_view what) {
  if (reply.is_error()) throw ErrorReply(fmt::format("{}: {}", what, reply.text()));
  return reply;
}

}  // namespace

Server::Server(Address address, Timeouts timeouts)
    : address_(std::move(address)), timeouts_(timeouts) {}

Reply Server::command(std::initializer_list<std::string_view> words) {
  return command({words.begin(), words.size()});
}

Reply Server::command(std::span<const std::string_view> words) {
  return throw_if_error(exchange(words), words.front());
}

Reply Server::run(const Script& script, std::initializer_list<std::string_view> keys,
                  std::initializer_list<std::string_view> arguments) {
  const auto count = std::to_string(keys.size());
  std::vector<std::string_view> words;
  words.reserve(3 + keys.size() + arguments.size());
  words.insert(words.end(), {"EVALSHA", script.sha1, count});
  words.insert(words.end(), keys);
  words.insert(words.end(), arguments);
  auto reply = exchange(words);
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT")) {
    words[0] = "EVAL";
    words[1] = script.text;
    reply = exchange(words);
  }
  return throw_if_error(std::move(reply), script.name);
}

Reply Server::exchange(std::span<const std::string_view> words) {
  auto connection = borrow();
  auto reply = connection->command(words);
  give_back(std::move(connection));
  return reply;
}

std::unique_ptr<Connection> Server::borrow() {
  // A connection that was idle for longer is checked first, so that a server that restarted
  // meanwhile does not cost an "unknown". The check is a system call, saved for a fresh one.
  constexpr std::chrono::milliseconds fresh{100};
  for (;;) {
    Idle idle;
    {
      const std::lock_guard guard(mutex_);
      if (idle_.empty()) break;
      idle = std::move(idle_.back());
      idle_.pop_back();
    }
    if (Clock::now() - idle.since < fresh || idle.connection->is_alive()) {
      return std::move(idle.connection);
    }
  }
  return std::make_unique<Connection>(address_, timeouts_);
}

void Server::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard guard(mutex_);
  idle_.push_back({.connection = std::move(connection), .since = Clock::now()});
}

}  // namespace core
