// The address of a server: a TCP port on a host, or a unix socket.
//
// Read it from text with `Address::parse("127.0.0.1:6379")` or
// `Address::parse("unix:/tmp/r.sock")`.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace core {

struct Address {
  std::string host;       // a literal address; empty when `unix_path` is set
  int port = 0;           // TCP port; 0 when `unix_path` is set
  std::string unix_path;  // path of a unix socket; empty for TCP

  // Throws std::invalid_argument with a sentence that quotes `text`.
  [[nodiscard]] static Address parse(std::string_view text);

  auto operator<=>(const Address&) const = default;

  // The text that `parse` reads back.
  [[nodiscard]] std::string text() const;
};

}  // namespace core
