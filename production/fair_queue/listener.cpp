#include "production/fair_queue/listener.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <utility>

#include "core/shared_instances.h"

namespace fair_queue {
namespace {

using std::chrono::milliseconds;

// The server that keeps the lines is asked for a sign of life after such a silence.
constexpr milliseconds longest_silence{1'000};
constexpr milliseconds subscription_patience{100};

Clock::duration random_pause(std::size_t waiters) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto most = static_cast<int>(std::min<std::size_t>(20 + waiters / 5, 1'000));
  return milliseconds(std::uniform_int_distribution<int>(0, most)(random));
}

int number_in(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int milliseconds_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

}  // namespace

std::shared_ptr<Listener> Listener::of(const std::vector<core::Address>& servers) {
  static core::SharedInstances<std::vector<core::Address>, Listener> all;
  return all.get(servers, [&] { return std::make_shared<Listener>(servers); });
}

Listener::Listener(const std::vector<core::Address>& servers) {
  for (const auto& server : servers) sources_.push_back({.address = server});
}

std::shared_ptr<Waiter> Listener::add(std::shared_ptr<LookTime> line_looks_at) {
  auto waiter = std::make_shared<Waiter>(std::move(line_looks_at));
  const std::lock_guard guard(mutex_);
  by_token_.emplace(waiter->token(), waiters_.insert(waiters_.end(), waiter));
  return waiter;
}

void Listener::remove(const Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  const auto found = by_token_.find(waiter.token());
  if (found == by_token_.end()) return;
  waiters_.erase(found->second);
  by_token_.erase(found);
}

void Listener::look_at(LookTime& line, Clock::time_point time) {
  line = time;
  const std::lock_guard guard(mutex_);
  if (time >= next_look_) return;
  next_look_ = time;
  wake_reader_.wake();  // it may wait for longer
}

void Listener::subscribe() {
  // If another waiter reads, it takes care of the connections; not yet for the first time.
  if (is_ready_ ? !reading_.try_lock() : !reading_.try_lock_for(subscription_patience)) return;
  const NextReader next{*this};  // a waiter may have found it locked
  const std::lock_guard reading(reading_, std::adopt_lock);
  const auto until = Clock::now() + subscription_patience;
  advance_all();
  while (Clock::now() < until && !std::all_of(sources_.begin(), sources_.end(),
                                              [](const auto& one) { return one.is_settled(); })) {
    poll_sources(until);
    advance_all();
  }
  for (auto& source : sources_) source.was_silent = source.was_silent || !source.is_settled();
  is_ready_ = true;
}

void Listener::wait(Waiter& waiter, Clock::time_point until, const std::stop_token& stop) {
  // Also after one that has not read: it may have been woken in order to.
  const NextReader next{*this};
  while (!waiter.has_news() && Clock::now() < until && !stop.stop_requested()) {
    waiter.prepare_to_wait();  // the reader may stop at any moment, and then wakes a waiter
    const std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading.owns_lock()) {
      waiter.wait(until, stop);
    } else {
      waiter.wake();
      read(waiter, until, stop);
    }
  }
}

void Listener::read(Waiter& waiter, Clock::time_point until, const std::stop_token& stop) {
  const std::stop_callback ends(stop, [this] { wake_reader_.wake(); });
  for (advance_all(); !waiter.has_news() && Clock::now() < until && !stop.stop_requested();
       advance_all()) {
    poll_sources(until);
  }
}

void Listener::poll_sources(Clock::time_point until) {
  std::vector<pollfd> polled{wake_reader_.to_poll()};
  auto limit = std::min(until, Clock::now() + longest_silence);
  {
    const std::lock_guard guard(mutex_);
    limit = std::min(limit, next_look_);
  }
  for (const auto& source : sources_) {
    const auto* connection = source.connection.get();
    if (connection == nullptr) limit = std::min(limit, source.connect_at);
    polled.push_back({.fd = connection != nullptr ? connection->descriptor() : -1,
                      .events = connection != nullptr ? connection->wants() : short{0},
                      .revents = 0});
  }
  poll(polled.data(), polled.size(), milliseconds_until(limit));
  if (polled.front().revents != 0) wake_reader_.clear();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].is_ready = polled[i + 1].revents != 0;
  }
}

void Listener::advance_all() {
  for (auto& source : sources_) {
    if (!source.connection) connect(source);
    if (source.connection && std::exchange(source.is_ready, true)) receive(source);
  }
  send_ping(sources_.front());
  make_first_look();
}

void Listener::connect(Source& source) {
  if (Clock::now() < source.connect_at) return;
  source.connection = std::make_unique<core::AsyncConnection>(source.address);
  source.connection->send(std::array<std::string_view, 3>{"SUBSCRIBE", channel_, moves});
  source.last_heard = Clock::now();
  source.awaits_reply = true;
}

void Listener::disconnect(Source& source) {
  source = {.address = source.address,
            .connect_at = Clock::now() + core::reconnect_pause,
            .was_silent = source.was_silent};
}

void Listener::send_ping(Source& source) {
  if (!source.connection || Clock::now() - source.last_heard < longest_silence) return;
  if (source.awaits_reply) return disconnect(source);
  source.connection->send(std::array<std::string_view, 1>{"PING"});
  source.connection->flush();
  source.last_heard = Clock::now();
  source.awaits_reply = true;
}

void Listener::receive(Source& source) {
  source.connection->flush();
  source.connection->receive();
  while (const auto push = source.connection->next()) {
    source.last_heard = Clock::now();
    source.awaits_reply = source.was_silent = false;
    const auto kind = push->text(0);
    const bool is_ours = push->text(1) == channel_;
    if (kind == "message" && is_ours) {
      deliver(push->text(2));
    } else if (kind == "message") {
      moved_to_ = number_in(push->text(2));
      make_all_look();
    } else if (kind == "subscribe" && is_ours) {
      source.is_subscribed = true;
      make_all_look();
    } else if (push->is_error()) {  // it was refused: subscribe again
      return disconnect(source);
    }
  }
  if (source.connection->broken()) disconnect(source);
}

void Listener::deliver(std::string_view message) {
  // As line.lua writes it: the token, and 1 if another one waits after it.
  const std::lock_guard guard(mutex_);
  const auto waiter = by_token_.find(message.substr(0, message.find(' ')));
  if (waiter == by_token_.end()) return;
  (*waiter->second)->give_turn({.is_followed = message.ends_with(" 1")});
}

void Listener::make_all_look() {
  const std::lock_guard guard(mutex_);
  for (const auto& waiter : waiters_) {
    waiter->look_at(Clock::now() + random_pause(waiters_.size()));
  }
}

void Listener::make_first_look() {
  const auto now = Clock::now();
  const std::lock_guard guard(mutex_);
  if (now < next_look_) return;
  next_look_ = Clock::time_point::max();
  for (const auto& waiter : waiters_) {
    auto& line = waiter->line_looks_at();
    if (line.load() <= now) {
      line = now + look_every;
      waiter->look_at(now);
    }
    next_look_ = std::min(next_look_, line.load());
  }
}

void Listener::wake_next_reader() {
  const std::lock_guard guard(mutex_);
  for (const auto& waiter : waiters_) {
    if (waiter->wake()) return;
  }
}

}  // namespace fair_queue
