#include "stage5_watchdog/renewal_pipeline.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/redis/discovery.h"
#include "core/redis/redirection.h"

namespace stage5 {

void RenewalPipeline::ask(Question question, Clock::time_point now) {
  if (!channel_) {
    channel_ = std::make_unique<core::AsyncConnection>(server_);
    is_proven_ = false;
  }
  if (unanswered_.empty()) patience_ = Clock::duration::max();
  // Half a period: then there is still time for another connection.
  patience_ = std::min<Clock::duration>(patience_, question.hold->renewal()->every / 2);
  send(question);
  unanswered_.push_back({.question = std::move(question), .at = now});
}

void RenewalPipeline::send(const Question& question, bool /*by_text*/) {
  const std::string_view key = question.keys[0];
  const std::string_view token = question.arguments[0];
  // Sets the lease again if the value is the token, as one step; its nil means that the key is gone
  // or has another value, and creates none: https://redis.io/docs/latest/commands/set/
  const std::array<std::string_view, 7> renewal{
      "SET", key, token, "IFEQ", token, "PX", question.arguments[1]};
  channel_->send(renewal);
}

pollfd RenewalPipeline::to_poll() const {
  if (!channel_) return {.fd = -1, .events = 0, .revents = 0};
  return {.fd = channel_->descriptor(), .events = channel_->wants(), .revents = 0};
}

Clock::time_point RenewalPipeline::overdue() const {
  if (unanswered_.empty()) return Clock::time_point::max();
  // A server that is still answering a long pipeline is not silent.
  return std::max(heard_, unanswered_.front().at) + patience_;
}

void RenewalPipeline::advance(Clock::time_point now) {
  if (!channel_) return;
  channel_->advance();
  bool elsewhere = false;
  while (!unanswered_.empty()) {
    const auto reply = channel_->next();
    if (!reply) break;
    heard_ = now;
    elsewhere = elsewhere || leads_elsewhere(*reply);
    is_proven_ = true;
    auto asked = std::move(unanswered_.front());
    unanswered_.pop_front();
    answer(std::move(asked), *reply);
  }
  if (!channel_->broken() && !elsewhere && overdue() > now) return;
  channel_.reset();
  for (const auto& asked : std::exchange(unanswered_, {})) {
    asked.question.answered(Renewed::unknown);
  }
}

void RenewalPipeline::answer(Asked asked, const core::Reply& reply) {
  asked.question.answered(understand(reply));
}

bool RenewalPipeline::leads_elsewhere(const core::Reply& reply) const {
  if (!server_.discovery || !core::Redirection::in(reply)) return false;
  const auto named_by = channel_->named_by();
  if (!is_proven_ && named_by) server_.discovery->distrust(*named_by);
  return true;
}

Renewed RenewalPipeline::understand(const core::Reply& reply) {
  // An error (a replica that has not been promoted yet, a server that is out of memory) says
  // nothing about the hold.
  if (reply.is_error()) return Renewed::unknown;
  return reply.is_ok() ? Renewed::renewed : Renewed::lost;
}

}  // namespace stage5
