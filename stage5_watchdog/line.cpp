#include "stage5_watchdog/line.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace stage5 {

void Line::ask(std::shared_ptr<Hold> hold, Clock::time_point now) {
  if (!channel_) channel_ = std::make_unique<core::Channel>(server_);
  unanswered_.push_back({.hold = std::move(hold), .asked = now, .with_text = false});
  send(unanswered_.back());
}

void Line::send(const Question& question) {
  const auto& renewal = *question.hold->renewal_;
  const auto lease = std::to_string(question.hold->lease_.load().count());
  const std::array<std::string_view, 6> words{
      question.with_text ? "EVAL" : "EVALSHA",
      question.with_text ? renewal.script.text : renewal.script.sha1,
      "1",
      renewal.key,
      question.hold->token_,
      lease};
  channel_->send(words);
}

pollfd Line::to_poll() const {
  if (!channel_) return {.fd = -1, .events = 0, .revents = 0};
  return {.fd = channel_->descriptor(), .events = channel_->wants(), .revents = 0};
}

Clock::time_point Line::overdue() const {
  if (unanswered_.empty()) return Clock::time_point::max();
  // Half a period: then there is still time for another connection.
  const auto& oldest = unanswered_.front();
  return oldest.asked + oldest.hold->renewal_->every / 2;
}

std::vector<Line::Answer> Line::advance(Clock::time_point now) {
  std::vector<Answer> answers;
  if (!channel_) return answers;
  channel_->advance();
  while (!unanswered_.empty()) {
    const auto reply = channel_->next();
    if (!reply) break;
    auto question = std::move(unanswered_.front());
    unanswered_.pop_front();
    if (const auto outcome = understand(*reply, question)) {
      answers.push_back({std::move(question.hold), *outcome, question.asked});
    }
  }
  if (channel_->broken() || overdue() <= now) {
    channel_.reset();
    for (auto& question : std::exchange(unanswered_, {})) {
      answers.push_back({std::move(question.hold), Renewed::unknown, question.asked});
    }
  }
  return answers;
}

// Nothing if the question had to be asked again.
std::optional<Renewed> Line::understand(const core::Reply& reply, const Question& question) {
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT") && !question.with_text) {
    unanswered_.push_back({.hold = question.hold, .asked = question.asked, .with_text = true});
    send(unanswered_.back());
    return std::nullopt;
  }
  // Any other error (a replica that has not been promoted yet, a server that still loads) says
  // nothing about the hold.
  if (reply.is_error()) return Renewed::unknown;
  return reply.integer() == 1 ? Renewed::renewed : Renewed::lost;
}

}  // namespace stage5
