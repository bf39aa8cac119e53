#include "production/fair_queue/queue.h"

#include <utility>

#include "core/error.h"
#include "production/fair_queue/scripts.h"
#include "stage6_reentrant/identity.h"

namespace fair_queue {
namespace {

std::string queue_of(std::string_view key) {
  return std::string(key) + ":queue";
}

}  // namespace

Queue::Queue(core::Server& server, std::string key, std::chrono::milliseconds lease,
             Position position)
    : server_(server),
      key_(std::move(key)),
      queue_(queue_of(key_)),
      lease_text_(std::to_string(lease.count())),
      lease_(lease),
      position_(position == Position::first ? "first" : "last"),
      subscription_(HandoffSubscription::of(server.address())) {}

long long Queue::enter(const std::string& token, IfRefused then) {
  const auto ask = [&] {
    // A waiter that no message would reach is not queued: the lock would be handed past it.
    const bool waits = then == IfRefused::wait && subscription_->is_subscribed();
    return run(waits ? "wait" : "try", token);
  };
  try {
    return ask();
  } catch (const core::LostReply&) {
  }
  // The script does no harm a second time, and brings the answer.
  try {
    return ask();
  } catch (const core::ServerError& error) {
    throw core::LostReply(error.what());
  }
}

long long Queue::leave(const std::string& token) {
  return run("release", token);
}

void Queue::give_up(const std::string& token) {
  (void)run("give up", token);
}

bool Queue::remove() {
  return run("remove", "") == 1;
}

long long Queue::run(std::string_view what, std::string_view token) {
  return server_
      .run(scripts::queue, {key_, queue_},
           {what, token, stage6::participant(), lease_text_, stage6::host_and_process(),
            subscription_->channel(), position_})
      .integer();
}

std::vector<std::string> Queue::pass_on_command(std::string_view key, std::string_view token,
                                                std::string_view participant) {
  return {"EVAL",
          std::string(scripts::queue.text),
          "2",
          std::string(key),
          queue_of(key),
          "release",
          std::string(token),
          std::string(participant)};
}

QueuedHold::QueuedHold(std::shared_ptr<Waiter> waiter, std::chrono::milliseconds lease,
                       stage5::Clock::time_point since,
                       std::shared_ptr<const stage5::Renewal> renewal)
    : Hold(waiter->token(), lease, since, std::move(renewal)), waiter_(std::move(waiter)) {}

}  // namespace fair_queue
