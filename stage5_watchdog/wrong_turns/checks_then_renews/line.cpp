#include "stage5_watchdog/line.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace stage5 {

void Line::ask(std::shared_ptr<Hold> hold, Question question, Clock::time_point now, bool counts,
               Script script) {
  if (!channel_) channel_ = std::make_unique<core::AsyncConnection>(server_);
  if (unanswered_.empty()) patience_ = Clock::duration::max();
  // Half a period: then there is still time for another connection.
  patience_ = std::min<Clock::duration>(patience_, hold->renewal_->every / 2);
  send(question, script);
  unanswered_.push_back(
      {.hold = std::move(hold), .question = std::move(question), .at = now, .counts = counts});
}

void Line::send(const Question& question, Script /*script*/) {
  const std::array<std::string_view, 2> check{"GET", question.keys[0]};
  channel_->send(check);
}

pollfd Line::to_poll() const {
  if (!channel_) return {.fd = -1, .events = 0, .revents = 0};
  return {.fd = channel_->descriptor(), .events = channel_->wants(), .revents = 0};
}

Clock::time_point Line::overdue() const {
  if (unanswered_.empty()) return Clock::time_point::max();
  // A server that is still answering a long pipeline is not silent.
  return std::max(heard_, unanswered_.front().at) + patience_;
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
    heard_ = now;
    if (reply->text() == asked.question.arguments[0]) {  // still ours
      const std::array<std::string_view, 3> renewal{"PEXPIRE", asked.question.keys[0],
                                                    asked.question.arguments[1]};
      channel_->send(renewal);
      unanswered_.push_back(std::move(asked));
      continue;
    }
    answers.push_back({std::move(asked.hold), understand(*reply), asked.at,
                       std::move(asked.question), asked.counts});
  }
  if (channel_->broken() || overdue() <= now) {
    channel_.reset();
    for (auto& asked : std::exchange(unanswered_, {})) {
      answers.push_back({std::move(asked.hold), Renewed::unknown, asked.at,
                         std::move(asked.question), asked.counts});
    }
  }
  return answers;
}

Renewed Line::understand(const core::Reply& reply) {
  // Any other error (a replica that has not been promoted yet, a server that still loads) says
  // nothing about the hold.
  if (reply.is_error()) return Renewed::unknown;
  return reply.integer() == 1 ? Renewed::renewed : Renewed::lost;
}

}  // namespace stage5
