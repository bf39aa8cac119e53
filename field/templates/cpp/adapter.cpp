// NAME: a lock to fill in. As it stands it is the lock of stage 4: put your library in the place of
// core::Server and of the two functions of Lock. core/lock.h says what else a lock may bring: how
// it waits, how it tells of a loss, a fencing token.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/redis/server.h"
#include "core/token.h"
#include "faults/client/program.h"

namespace {

constexpr const char* delete_own =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

// One key. It is taken and given back many times, by one thread at a time.
class Lock : public core::Lock {
 public:
  Lock(core::Server& server, std::string key, std::chrono::milliseconds lease)
      : server_(server), key_(std::move(key)), lease_(std::to_string(lease.count())) {}

  core::Acquire try_acquire() override {
    const auto token = core::random_token();
    try {
      if (!server_.command({"SET", key_, token, "NX", "PX", lease_}).is_ok()) {
        return core::Acquire::contended;
      }
    } catch (const core::LostReply&) {
      return core::Acquire::unknown;  // no answer came: the command may have been applied
    }
    token_ = token;
    return core::Acquire::acquired;
  }

  core::Release release() override {
    if (token_.empty()) return core::Release::not_held;
    try {
      const auto removed = server_.command({"EVAL", delete_own, "1", key_, token_});
      token_.clear();
      return removed.integer() == 1 ? core::Release::released : core::Release::expired;
    } catch (const core::LostReply&) {
      return core::Release::unknown;
    }
  }

 private:
  core::Server& server_;
  const std::string key_;
  const std::string lease_;
  std::string token_;  // empty: it is not held
};

}  // namespace

int main() {
  std::optional<core::Server> server;
  return client::serve_quorum(
      {.stage = "NAME",
       .capabilities = {"lease", "token", "atomic_release"},
       .library = "0.1",
       // Its script answers 0 to both.
       .release_says = {{core::Release::expired, "not_mine"}, {core::Release::stolen, "not_mine"}}},
      [&](const std::vector<core::Address>& nodes, std::chrono::milliseconds timeout,
          std::string key, const client::LeaseRequest& request) {
        if (!server) server.emplace(nodes.at(0), core::Timeouts{timeout, timeout});
        return std::make_unique<Lock>(*server, std::move(key), request.lease);
      });
}
