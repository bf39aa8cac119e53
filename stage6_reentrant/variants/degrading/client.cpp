// This stage's lock, with a lock of this process while its server is away, as a program of its own:
// docs/client-protocol.md.
#include <utility>

#include "core/wrappers/fallback_lock.h"
#include "faults/client/program.h"
#include "stage6_reentrant/lock.h"

namespace {

struct Underneath {
  Underneath(core::Server& server, const std::string& key, const stage6::Options& options)
      : under(server, key, options) {}

  stage6::Lock under;
};

class DegradingLock : private Underneath, public core::FallbackLock {
 public:
  DegradingLock(core::Server& server, const std::string& key, const stage6::Options& options)
      : Underneath(server, key, options),
        core::FallbackLock(under, key, core::WhenAway::degrade()) {}
};

}  // namespace

int main() {
  return client::serve(
      {.stage = "stage6_reentrant",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "fallback"}},
      [](core::Server& server, const std::string& key, const client::LeaseRequest& request) {
        return std::make_unique<DegradingLock>(server, key, request.options<stage6::Options>());
      });
}
