#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario same_thread_id() {
  return {.name = "same_thread_id",
          .sentence =
              "B, whose thread has the same number as A's, wants the lock while A works under it",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto thread_of = [](const Client& client) {
              return client.last_acquire().value("thread", nlohmann::json());
            };
            for (const auto* client : {&a, &b}) {
              if (client->last_acquire().value("outcome", std::string{}) == "acquired") continue;
              // A is the first who asks for it.
              throw NotExercised(client->name() +
                                 " did not get the key that clients warm up with, one after the "
                                 "other: " +
                                 (client == &a ? "nobody was ever given it"
                                               : "the one before did not give it back"));
            }
            if (thread_of(a) != thread_of(b)) {
              throw NotExercised("the threads of A and B have different numbers");
            }
            world.steps.must_acquire(a, {.lease = Timing::long_lease});
            world.steps.stop_at_work(a, before_write, [&] { try_turn(b); });
            a.release();
          }};
}

}  // namespace faults
