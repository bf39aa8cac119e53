// The address of a server: a TCP port on a host, or a unix socket; and how to get in there.
//
// Read it from text with `Address::parse("127.0.0.1:6379")`, `Address::parse("unix:/tmp/r.sock")`,
// or from a URL, which can carry all of it:
// `Address::parse("rediss://locker:password@redis.example.com:6379/2?ca=/etc/our-ca.pem")`.
// A URL can also name a deployment, in which the server is looked for (core/redis/discovery.h).
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>

#include "core/redis/access.h"

namespace core {

struct Discovery;

struct Address {
  std::string host;       // a name, or a literal address; empty when `unix_path` is set
  int port = 0;           // TCP port; 0 when `unix_path` is set
  std::string unix_path;  // path of a unix socket; empty for TCP
  int database = 0;       // SELECT: the same key is another lock in another database
  std::shared_ptr<const Access> access = {};  // null: no password, no TLS
  // The way to find the server; then there is neither host nor path. Null: this is the server.
  std::shared_ptr<const Discovery> discovery = {};
  int slot = -1;                // which of a Cluster's slots the server is to have; -1: any
  bool must_be_master = false;  // a connection asks it, and is refused by a replica

  // HOST:PORT, HOST:PORT/DATABASE, unix:PATH, or a URL (core/redis/url.h). Throws
  // std::invalid_argument with a sentence that quotes `text`, less what may be a secret.
  [[nodiscard]] static Address parse(std::string_view text);

  // The address of the server that has `key`: in a Cluster with its slot, else the same.
  [[nodiscard]] Address for_key(std::string_view key) const;

  auto operator<=>(const Address&) const = default;

  // The text that `parse` reads back, without the access: it may be shown.
  [[nodiscard]] std::string text() const;
  // The same without the database: which server it is.
  [[nodiscard]] std::string server_text() const;
};

}  // namespace core
