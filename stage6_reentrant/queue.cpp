#include "stage6_reentrant/queue.h"

#include <utility>

#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/scripts.h"

namespace stage6 {
namespace {

std::string queue_of(std::string_view key) {
  return std::string(key) + ":queue";
}

}  // namespace

Queue::Queue(core::Server& server, std::string key, std::chrono::milliseconds lease, Queued how)
    : server_(server),
      key_(std::move(key)),
      queue_(queue_of(key_)),
      lease_text_(std::to_string(lease.count())),
      lease_(lease),
      stands_(how.overtakes ? "first" : "last"),
      inbox_(Inbox::of(server.address())) {}

long long Queue::enter(const std::string& token, Then then) {
  // Nobody is put in the queue whom no word would reach: the lock would be handed past him.
  const bool waits = then == Then::waits && inbox_->is_told();
  return run(waits ? "wait" : "try", token);
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
      .run(
          scripts::queue, {key_, queue_},
          {what, token, participant(), lease_text_, host_and_process(), inbox_->channel(), stands_})
      .integer();
}

std::vector<std::string> Queue::passing_on(std::string_view key, std::string_view token,
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

QueuedHold::QueuedHold(std::shared_ptr<Place> place, std::chrono::milliseconds lease,
                       stage5::Clock::time_point since,
                       std::shared_ptr<const stage5::Renewal> renewal)
    : Hold(place->token(), lease, since, std::move(renewal)), place_(std::move(place)) {}

}  // namespace stage6
