#include "stage5_watchdog/line.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace stage5 {

void Line::ask(std::shared_ptr<Hold> hold, Question question, Clock::time_point now, bool counts) {
  if (!channel_) channel_ = std::make_unique<core::Channel>(server_);
  unanswered_.push_back({.hold = std::move(hold),
                         .question = std::move(question),
                         .at = now,
                         .counts = counts,
                         .with_text = false});
  send(unanswered_.back());
}

void Line::send(const Asked& asked) {
  const auto& question = asked.question;
  const auto keys = std::to_string(question.keys.size());
  std::vector<std::string_view> words{asked.with_text ? "EVAL" : "EVALSHA",
                                      asked.with_text ? question.script.text : question.script.sha1,
                                      keys};
  words.insert(words.end(), question.keys.begin(), question.keys.end());
  words.insert(words.end(), question.arguments.begin(), question.arguments.end());
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
  return oldest.at + oldest.hold->renewal_->every / 2;
}

std::vector<Line::Answer> Line::advance(Clock::time_point now) {
  std::vector<Answer> answers;
  if (!channel_) return answers;
  channel_->advance();
  while (!unanswered_.empty()) {
    const auto reply = channel_->next();
    if (!reply) break;
    auto asked = std::move(unanswered_.front());
    unanswered_.pop_front();
    const auto outcome = understand(*reply, asked);
    if (outcome && asked.counts) answers.push_back({std::move(asked.hold), *outcome, asked.at});
  }
  if (channel_->broken() || overdue() <= now) {
    channel_.reset();
    for (auto& asked : std::exchange(unanswered_, {})) {
      if (asked.counts) answers.push_back({std::move(asked.hold), Renewed::unknown, asked.at});
    }
  }
  return answers;
}

// Nothing if the question had to be asked again.
std::optional<Renewed> Line::understand(const core::Reply& reply, Asked& asked) {
  if (reply.is_error() && reply.text().starts_with("NOSCRIPT") && !asked.with_text) {
    asked.with_text = true;
    unanswered_.push_back(std::move(asked));
    send(unanswered_.back());
    return std::nullopt;
  }
  // Any other error (a replica that has not been promoted yet, a server that still loads) says
  // nothing about the hold.
  if (reply.is_error()) return Renewed::unknown;
  return reply.integer() == 1 ? Renewed::renewed : Renewed::lost;
}

}  // namespace stage5
