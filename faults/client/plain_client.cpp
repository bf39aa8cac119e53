// A client program around a minimal lock, for tests of the protocol and of the kit. With an
// argument it sends two commands for a release: GET, then DEL.
#include <utility>

#include "core/error.h"
#include "core/lock.h"
#include "faults/client/program.h"

namespace {

class PlainLock : public core::Lock {
 public:
  PlainLock(core::Server& server, std::string key, std::chrono::milliseconds lease,
            bool looks_first)
      : server_(server), key_(std::move(key)), lease_(lease), looks_first_(looks_first) {}

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
    if (looks_first_) (void)server_.command({"GET", key_});
    const auto removed = server_.command({"DEL", key_});
    return removed.integer() == 1 ? core::Release::released : core::Release::not_held;
  }

 private:
  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const bool looks_first_;
};

}  // namespace

int main(int argc, char**) {
  return client::serve({.stage = "plain", .capabilities = {"lease"}},
                       [looks_first = argc > 1](core::Server& server, std::string key,
                                                const client::LeaseRequest& request) {
                         return std::make_unique<PlainLock>(server, std::move(key), request.lease,
                                                            looks_first);
                       });
}
