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
  std::vector<std::string_view> words;
  words.reserve(3 + keys.size() + arguments.size());
  words.insert(words.end(), {"EVALSHA", script.sha1, count});
  words.insert(words.end(), keys);
  words.insert(words.end(), arguments);
  const auto key = keys.size() > 0 ? *keys.begin() : std::string_view{};
  auto reply = exchange(words, key);
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT")) {
    words[0] = "EVAL";
    words[1] = script.text;
    reply = exchange(words, key);
  }
  return throw_if_error(std::move(reply), script.name);
}

Reply Server::exchange(std::span<const std::string_view> words, std::string_view key) {
  if (route_) return route_->exchange(words, key);
  auto connection = pool_.borrow();
  auto reply = connection->command(words);
  pool_.give_back(std::move(connection));
  return reply;
}

}  // namespace core
