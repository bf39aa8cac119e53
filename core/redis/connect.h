// The way of a connection that does not block from an address to the first command: find the
// server, look its name up, connect, agree on keys (TLS), prove who we are. A numeric address
// without access needs none of it.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/redis/address.h"
#include "core/redis/connection_setup.h"
#include "core/redis/host_lookup.h"
#include "core/redis/server_lookup.h"
#include "core/redis/tls.h"

namespace core {

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
using Context = std::unique_ptr<redisContext, FreeContext>;

class ConnectAttempt {
 public:
  explicit ConnectAttempt(const Address& address);

  // Does `address` need one?
  [[nodiscard]] static bool is_needed(const Address& address);

  // Goes as far as it goes without waiting. `context` and `tls` are set when they are there.
  enum class State { under_way, done, failed };
  [[nodiscard]] State advance(Context& context, std::unique_ptr<TlsSession>& tls);

  // While it is under way: what to wait for.
  [[nodiscard]] int descriptor(const Context& context) const;
  [[nodiscard]] short wants() const { return wants_; }

  // Which one of a discovery named the server (core::Located), once it is known.
  [[nodiscard]] std::optional<std::size_t> named_by() const { return named_by_; }

  // One sentence, once it has failed.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  enum class Step { locate, resolve, connect, await_connection, encrypt, set_up };

  // The server is known: the next step.
  void begin();
  [[nodiscard]] State locate();
  [[nodiscard]] State resolve();
  [[nodiscard]] State connect(Context& context);
  [[nodiscard]] State await_connection(const Context& context);
  [[nodiscard]] State encrypt(const Context& context, std::unique_ptr<TlsSession>& tls);
  [[nodiscard]] State set_up(Context& context, TlsSession* tls);
  // Writes what is left of the setup; reads replies to it. `done`: there was something.
  [[nodiscard]] State send_setup(const Context& context, TlsSession* tls);
  [[nodiscard]] State read_setup(Context& context, TlsSession* tls);
  State fail(std::string sentence);
  // The next address of the host, if there is one, else failed.
  State connect_elsewhere(std::string_view reason);

  Address address_;
  Step step_ = Step::locate;
  std::shared_ptr<const ServerLookup> server_lookup_;
  std::optional<std::size_t> named_by_;
  std::shared_ptr<const HostLookup> lookup_;
  std::size_t tried_ = 0;  // how many of the host's addresses
  ConnectionSetup setup_;
  short wants_ = 0;
  std::string failure_;
};

}  // namespace core
