#include "core/redis/server.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace core {
namespace {

Reply throw_if_error(Reply reply, std::string_view what) {
  if (reply.is_error()) throw ErrorReply(fmt::format("{}: {}", what, reply.text()));
  return reply;
}

// A command that runs a script: its name, the script, how many keys, and then the keys.
constexpr std::size_t first_key = 3;

std::vector<std::string_view> words_of(const Script& script, std::string_view count,
                                       std::initializer_list<std::string_view> keys,
                                       std::initializer_list<std::string_view> arguments) {
  std::vector<std::string_view> words;
  words.reserve(first_key + keys.size() + arguments.size());
  words.insert(words.end(), {"EVALSHA", script.sha1, count});
  words.insert(words.end(), keys);
  words.insert(words.end(), arguments);
  return words;
}

std::string_view key_in(std::span<const std::string_view> words) {
  return words[first_key - 1] == "0" ? std::string_view{} : words[first_key];
}

// The script that this thread sends with its next command.
thread_local Server::Started* with_next = nullptr;

}  // namespace

Server::Server(Address address, Timeouts timeouts)
    : pool_(std::move(address), timeouts),
      route_(pool_.address().discovery ? std::make_unique<Route>(pool_.address(), timeouts)
                                       : nullptr) {}

Reply Server::command(std::initializer_list<std::string_view> words) {
  return command({words.begin(), words.size()});
}

Reply Server::command(std::span<const std::string_view> words) {
  return throw_if_error(exchange(words, words.size() > 1 ? words[1] : ""), words.front());
}

Reply Server::run(const Script& script, std::initializer_list<std::string_view> keys,
                  std::initializer_list<std::string_view> arguments) {
  const auto count = std::to_string(keys.size());
  auto words = words_of(script, count, keys, arguments);
  auto reply = exchange(words, key_in(words));
  return run_unknown(script, std::move(words), std::move(reply));
}

Reply Server::run_unknown(const Script& script, std::vector<std::string_view> words, Reply reply) {
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT")) {
    words[0] = "EVAL";
    words[1] = script.text;
    reply = exchange(words, key_in(words));
  }
  return throw_if_error(std::move(reply), script.name);
}

Server::Started::Started(Server& server, const Script& script,
                         std::initializer_list<std::string_view> keys,
                         std::initializer_list<std::string_view> arguments)
    : server_(server),
      script_(script),
      key_count_(std::to_string(keys.size())),
      words_(words_of(script, key_count_, keys, arguments)) {}

Server::Started::~Started() {
  if (with_next == this) with_next = nullptr;
}

Reply Server::Started::finish() {
  if (with_next == this) with_next = nullptr;
  if (!connection_) {
    return server_.run_unknown(script_, words_, server_.exchange(words_, key_in(words_)));
  }
  auto reply = connection_->receive(words_.front());
  server_.pool_.give_back(std::move(connection_));
  return server_.run_unknown(script_, words_, std::move(reply));
}

std::unique_ptr<Server::Started> Server::start(const Script& script,
                                               std::initializer_list<std::string_view> keys,
                                               std::initializer_list<std::string_view> arguments) {
  std::unique_ptr<Started> started(new Started(*this, script, keys, arguments));
  if (route_) return started;
  started->connection_ = pool_.borrow();
  started->connection_->send(started->words_);
  return started;
}

std::unique_ptr<Server::Started> Server::start_with_next(
    const Script& script, std::initializer_list<std::string_view> keys,
    std::initializer_list<std::string_view> arguments) {
  std::unique_ptr<Started> started(new Started(*this, script, keys, arguments));
  with_next = started.get();
  return started;
}

Reply Server::exchange(std::span<const std::string_view> words, std::string_view key) {
  if (route_) return route_->exchange(words, key);
  auto connection = pool_.borrow();
  if (with_next != nullptr && &with_next->server_ == this) {
    return exchange(std::move(connection), words, *std::exchange(with_next, nullptr));
  }
  auto reply = connection->command(words);
  pool_.give_back(std::move(connection));
  return reply;
}

Reply Server::exchange(std::unique_ptr<Connection> connection,
                       std::span<const std::string_view> words, Started& second) {
  connection->send(words, second.words_);
  auto reply = connection->receive(words.front());
  second.connection_ = std::move(connection);
  return reply;
}

}  // namespace core
