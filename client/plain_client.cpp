// A client program around a minimal lock, for tests of the protocol and of the kit.
#include <utility>

#include "client/program.h"
#include "core/error.h"
#include "core/lock.h"

namespace {

class PlainLock : public core::Lock {
 public:
  PlainLock(core::Server& server, std::string key, std::chrono::milliseconds lease)
      : server_(server), key_(std::move(key)), lease_(lease) {}

  core::Acquire try_acquire() override {
    try {
      const auto set =
          server_.command({"SET", key_, "held", "NX", "PX", std::to_string(lease_.count())});
      return set.is_ok() ? core::Acquire::acquired : core::Acquire::contended;
    } catch (const core::LostReply&) {
      return core::Acquire::unknown;
    }
  }

  core::Release release() override {
    const auto removed = server_.command({"DEL", key_});
    return removed.integer() == 1 ? core::Release::released : core::Release::not_held;
  }

 private:
  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
};

}  // namespace

int main() {
  return client::serve(
      {.stage = "plain", .capabilities = {"lease"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<PlainLock>(server, std::move(key), request.lease);
      });
}
