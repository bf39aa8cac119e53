// A Redis server as a lock sees it: send a command or run a script, get a reply. With Sentinels, or
// in a Cluster, it is the server that has the key now (core/redis/route.h).
//
// Thread-safety: safe to share. Inside is a pool of connections; each command borrows one, so that
// a thread that waits for its reply does not block another.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/connection_pool.h"
#include "core/redis/reply.h"
#include "core/redis/route.h"
#include "core/redis/script.h"

namespace core {

class Server {
 public:
  // Does not connect: the first command does.
  explicit Server(Address address, Timeouts timeouts = {});

  // Sends one command and returns its reply. Throws Unreachable (never sent), LostReply (may have
  // been applied) or ErrorReply (refused by the server). Ignores SIGPIPE for the process unless it
  // has a handler. In a Cluster its second word has to be its key.
  Reply command(std::initializer_list<std::string_view> words);
  Reply command(std::span<const std::string_view> words);

  // Runs `script` by its SHA-1, and by its text if the server does not know it (a restarted or
  // failed-over server has forgotten every script). Returns its reply; throws as `command` does.
  Reply run(const Script& script, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> arguments);

  // A script that was started; the thread does something else before it wants the reply.
  class Started {
   public:
    ~Started();
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;

    // Returns the reply, once; runs the script now if it was not sent yet. Throws as `run` does.
    [[nodiscard]] Reply finish();

   private:
    friend class Server;
    Started(Server& server, const Script& script, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> arguments);

    Server& server_;
    const Script& script_;
    const std::string key_count_;
    const std::vector<std::string_view> words_;
    std::unique_ptr<Connection> connection_;  // null: it is not sent yet
  };
  // Sends the script now. Its keys and arguments must live until it is finished. Throws Unreachable
  // or LostReply.
  [[nodiscard]] std::unique_ptr<Started> start(const Script& script,
                                               std::initializer_list<std::string_view> keys,
                                               std::initializer_list<std::string_view> arguments);
  // Sends it in one packet with this thread's next command to this server, right after it: the
  // server runs the two one after the other, and the thread waits once. (Where the address has a
  // discovery, `finish` sends it.) One at a time for each thread.
  [[nodiscard]] std::unique_ptr<Started> start_with_next(
      const Script& script, std::initializer_list<std::string_view> keys,
      std::initializer_list<std::string_view> arguments);

  [[nodiscard]] const Address& address() const { return pool_.address(); }

 private:
  [[nodiscard]] Reply exchange(std::span<const std::string_view> words, std::string_view key);
  // The same, and sends `second` with it.
  [[nodiscard]] static Reply exchange(std::unique_ptr<Connection> connection,
                                      std::span<const std::string_view> words, Started& second);
  // Returns `reply`, that of `script`, run by `words`; or runs it by its text if the server does
  // not know it.
  [[nodiscard]] Reply run_unknown(const Script& script, std::vector<std::string_view> words,
                                  Reply reply);

  ConnectionPool pool_;                 // idle for good if there is a route
  const std::unique_ptr<Route> route_;  // null: the address names the server
};

}  // namespace core
