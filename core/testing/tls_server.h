// For tests: the server of a RedisTest, listening for TLS too.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>

#include "core/error.h"
#include "core/redis/server.h"
#include "core/testing/certificates.h"

namespace core {

// Presents these certificates from now on, at a port of 127.0.0.1. Nothing if this server was built
// without TLS. (Ports below those that the kernel gives to clients.)
[[nodiscard]] inline std::optional<int> listen_for_tls(Server& server, const CertificateFiles& own,
                                                       const std::string& authorities) {
  std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> ports(20'000, 32'000);
  try {
    server.command({"CONFIG", "SET", "tls-auth-clients", "no"});
    server.command({"CONFIG", "SET", "tls-ca-cert-file", authorities});
    server.command({"CONFIG", "SET", "tls-cert-file", own.certificate});
    server.command({"CONFIG", "SET", "tls-key-file", own.key});
  } catch (const ErrorReply&) {
    return std::nullopt;
  }
  for (int i = 0; i < 20; ++i) {
    const int port = ports(random);
    try {
      server.command({"CONFIG", "SET", "tls-port", std::to_string(port)});
      return port;
    } catch (const ErrorReply&) {  // somebody else has that port
    }
  }
  return std::nullopt;
}

}  // namespace core
