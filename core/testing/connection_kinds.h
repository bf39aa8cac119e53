// For tests: a server asked over a connection that blocks, or over one that does not.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/server.h"
#include "core/testing/eventually.h"

namespace core {

enum class ConnectionKind { blocking, without_blocking };

inline std::string name_of(ConnectionKind way) {
  return way == ConnectionKind::blocking ? "Blocking" : "WithoutBlocking";
}

// As long as a loaded machine may take.
inline constexpr Timeouts patient{.connect = std::chrono::seconds(10),
                                  .command = std::chrono::seconds(10)};

// Sends `words` once, and returns when there is a reply or none can come.
inline std::optional<Reply> ask(AsyncConnection& connection,
                                std::initializer_list<std::string_view> words) {
  connection.send(std::span(words.begin(), words.size()));
  std::optional<Reply> reply;
  core::eventually("there is an answer", [&] {
    pollfd source{.fd = connection.descriptor(), .events = connection.wants(), .revents = 0};
    poll(&source, 1, 100);
    connection.advance();
    reply = connection.next();
    return reply || connection.broken();
  });
  return reply;
}

// The text of the reply.
inline std::string answer_to(const Address& address, std::initializer_list<std::string_view> words,
                             ConnectionKind way, Timeouts timeouts = patient) {
  if (way == ConnectionKind::blocking) {
    Server server(address, timeouts);
    return std::string(server.command(words).text());
  }
  AsyncConnection connection(address);
  const auto reply = ask(connection, words);
  return reply ? std::string(reply->text()) : "no reply: " + connection.failure();
}

// Why the server cannot be used: the sentence.
inline std::string refusal_of(const Address& address, ConnectionKind way) {
  if (way == ConnectionKind::blocking) {
    try {
      Server server(address, patient);
      server.command({"PING"});
    } catch (const Unreachable& error) {
      return error.what();
    }
    return "it can be used";
  }
  AsyncConnection connection(address);
  return ask(connection, {"PING"}) ? "it can be used" : connection.failure();
}

}  // namespace core
