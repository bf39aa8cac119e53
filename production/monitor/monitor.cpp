#include "production/monitor/monitor.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/wrappers/heartbeats.h"
#include "production/operating/lock_state.h"

namespace monitor {

Monitor::Monitor(const std::vector<core::Address>& nodes, core::Address post, Patience patience,
                 std::function<void(const std::string&)> say)
    : post_(std::move(post)), patience_(patience), say_(std::move(say)), holders_(patience) {
  for (const auto& node : nodes) nodes_.push_back(std::make_unique<core::Server>(node));
}

void Monitor::run(const std::stop_token& stop) {
  looked_ = heard_until_ = Clock::now();
  holders_.begin_anew(looked_);
  while (!stop.stop_requested()) {
    send_ping();
    listen(Clock::now() + patience_.period / 4);
    take_messages();
    // A monitor that has stood still has heard nothing, and nobody else is to blame for that.
    const auto now = Clock::now();
    if (now - looked_ > patience_.period) holders_.begin_anew(now);
    looked_ = now;
    free_silent_holders();
  }
}

void Monitor::connect() {
  if (post_connection_) {
    say_once(post_connection_->failure());
    poll(nullptr, 0, static_cast<int>(core::reconnect_pause.count()));
  }
  post_connection_ = std::make_unique<core::AsyncConnection>(post_);
  post_connection_->send(std::array<std::string_view, 2>{"SUBSCRIBE", core::Heartbeats::channel});
  pinged_ = Clock::now();  // an answer to this does as well as a PONG
  awaits_pong_ = true;
}

// A server that does not answer announces nothing either, and no holder is to blame for that.
void Monitor::send_ping() {
  const auto now = Clock::now();
  const bool is_overdue = awaits_pong_ && now - pinged_ > patience_.silence();
  if (!post_connection_ || post_connection_->broken() || is_overdue) return connect();
  if (awaits_pong_ || now - pinged_ < patience_.period / 4) return;
  post_connection_->send(std::array<std::string_view, 1>{"PING"});
  pinged_ = now;
  awaits_pong_ = true;
}

void Monitor::say_once(const std::string& sentence) {
  if (sentence.empty() || sentence == said_) return;
  said_ = sentence;
  say_(sentence);
}

void Monitor::listen(Clock::time_point until) {
  post_connection_->advance();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  pollfd source{
      .fd = post_connection_->descriptor(), .events = post_connection_->wants(), .revents = 0};
  poll(&source, 1, static_cast<int>(std::max<long long>(left.count(), 0)));
  post_connection_->advance();
}

void Monitor::take_messages() {
  while (const auto push = post_connection_->next()) {
    const auto now = Clock::now();
    if (push->is_error()) say_once("cannot hear heartbeats: " + std::string(push->text()));
    if (push->text(0) == "subscribe") holders_.begin_anew(now);
    if (push->text(0) == "subscribe" || push->text(0) == "pong") {
      awaits_pong_ = false;
      heard_until_ = pinged_;
    }
    if (push->text(0) != "message") continue;
    const auto message = push->text(2);
    const auto space = message.find(' ');
    if (space == std::string_view::npos) continue;
    holders_.heard({.key = std::string(message.substr(space + 1)),
                    .token = std::string(message.substr(0, space))},
                   now);
  }
}

void Monitor::free_silent_holders() {
  for (const auto& hold : holders_.take_silent(heard_until_)) {
    const auto freed = free_everywhere(hold);
    if (freed == 0) continue;  // it was released: its holder had no more to say
    say_(fmt::format("freed {} on {} of {} servers: its holder was silent for {} ms", hold.key,
                     freed, nodes_.size(), patience_.silence().count()));
  }
}

int Monitor::free_everywhere(const Hold& hold) {
  int freed = 0;
  for (const auto& node : nodes_) {
    try {
      const operating::LockState seen{
          .key = hold.key, .kind = operating::LockState::Kind::held, .token = hold.token};
      if (operating::free_hold(*node, seen) == operating::Freed::removed) ++freed;
    } catch (const core::ServerError& error) {  // its lease does it there
      say_(fmt::format("could not free {}: {}", hold.key, error.what()));
    }
  }
  return freed;
}

}  // namespace monitor
