// TLS over a socket that is connected already, by OpenSSL. (hiredis has no TLS in Debian 12, and
// where it has, it never compares the name in the certificate.)
//
// Nothing here throws but the constructor; a call on a blocking socket waits as long as the
// socket's time-outs let it. Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/redis/access.h"

struct ssl_st;
struct ssl_ctx_st;

namespace core {

class TlsSession {
 public:
  // `host`: the server's name, or literal address, that its certificate must carry unless
  // `tls.server_name` is set. Throws AccessDenied if a file cannot be read. Ignores SIGPIPE for the
  // process (core/redis/sigpipe.h).
  TlsSession(const Tls& tls, const std::string& host, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Progress {
    done,
    wants_to_read,   // go on when the socket is readable;
    wants_to_write,  // or writable. On a blocking socket both mean that the time is over
    failed,          // see `failure()`
  };

  // Agrees with the server on keys, and checks its certificate.
  [[nodiscard]] Progress handshake();
  // Reads, or writes, some bytes; `count` is how many.
  [[nodiscard]] Progress read(char* bytes, std::size_t size, std::size_t& count);
  [[nodiscard]] Progress write(std::string_view bytes, std::size_t& count);

  // The failure in a few words. `denied()`: the server's certificate is not accepted, or the
  // server does not accept ours.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] bool denied() const { return denied_; }

 private:
  [[nodiscard]] Progress progress_of(int result);

  struct Free {
    void operator()(ssl_st* session) const;
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::unique_ptr<ssl_st, Free> session_;
  std::string failure_;
  bool denied_ = false;
};

}  // namespace core
