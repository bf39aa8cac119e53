#include "stage5_watchdog/renewal_pipeline.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/redis/discovery.h"
#include "core/redis/redirection.h"

namespace stage5 {

void RenewalPipeline::ask(std::shared_ptr<Hold> hold, Question question, Clock::time_point now,
                          bool counts, Script script) {
  if (!channel_) {
    channel_ = std::make_unique<core::AsyncConnection>(server_);
    is_proven_ = false;
  }
  if (unanswered_.empty()) patience_ = Clock::duration::max();
  // Half a period: then there is still time for another connection.
  patience_ = std::min<Clock::duration>(patience_, hold->renewal_->every / 2);
  send(question, script);
  unanswered_.push_back(
      {.hold = std::move(hold), .question = std::move(question), .at = now, .counts = counts});
}

void RenewalPipeline::send(const Question& question, Script script) {
  const auto keys = std::to_string(question.keys.size());
  const bool by_text = script == Script::text;
  std::vector<std::string_view> words{by_text ? "EVAL" : "EVALSHA",
                                      by_text ? question.script.text : question.script.sha1, keys};
  words.insert(words.end(), question.keys.begin(), question.keys.end());
  words.insert(words.end(), question.arguments.begin(), question.arguments.end());
  channel_->send(words);
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

std::vector<RenewalPipeline::Answer> RenewalPipeline::advance(Clock::time_point now) {
  std::vector<Answer> answers;
  if (!channel_) return answers;
  channel_->advance();
  bool elsewhere = false;
  while (!unanswered_.empty()) {
    const auto reply = channel_->next();
    if (!reply) break;
    auto asked = std::move(unanswered_.front());
    unanswered_.pop_front();
    heard_ = now;
    if (is_elsewhere(*reply)) {
      elsewhere = true;
      const auto named_by = channel_->named_by();
      if (!is_proven_ && named_by) server_.discovery->distrust(*named_by);
    }
    is_proven_ = true;
    answers.push_back({std::move(asked.hold), understand(*reply), asked.at,
                       std::move(asked.question), asked.counts});
  }
  if (channel_->broken() || elsewhere || overdue() <= now) {
    channel_.reset();
    for (auto& asked : std::exchange(unanswered_, {})) {
      answers.push_back({std::move(asked.hold), Renewed::unknown, asked.at,
                         std::move(asked.question), asked.counts});
    }
  }
  return answers;
}

bool RenewalPipeline::is_elsewhere(const core::Reply& reply) const {
  return server_.discovery && core::Redirection::in(reply);
}

Renewed RenewalPipeline::understand(const core::Reply& reply) {
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT")) return Renewed::script_unknown;
  // Any other error (a replica that has not been promoted yet, a server that still loads) says
  // nothing about the hold.
  if (reply.is_error()) return Renewed::unknown;
  return reply.integer() == 1 ? Renewed::renewed : Renewed::lost;
}

}  // namespace stage5
