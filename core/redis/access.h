// How a client proves to a server who it is, and the server to the client: user and password (ACL),
// and TLS.
//
//   const auto access = std::make_shared<const core::Access>(core::Access{
//       .user = "locker", .password = password, .tls = core::Tls{.ca_file = "/etc/our-ca.pem"}});
//   core::Server server({.host = "redis.example.com", .port = 6379, .access = access});
//
// Thread-safety: values.
#pragma once

#include <optional>
#include <string>

#include "core/redis/secret.h"

namespace core {

// A certificate is checked unless `verify` is false: who issued it, its dates, and its name. Files
// are in PEM format.
struct Tls {
  std::string ca_file;           // who may issue certificates; empty: the system's authorities
  std::string certificate_file;  // the client's own, if the server asks for one,
  std::string key_file;          // and its key
  std::string server_name;       // the name in the certificate; empty: the host of the address
  bool verify = true;            // false: anybody can stand between client and server
};

struct Access {
  std::string user;             // empty: the server's user "default"
  Secret password;              // empty: no AUTH is sent
  std::optional<Tls> tls = {};  // nothing: the bytes travel as they are
};

}  // namespace core
