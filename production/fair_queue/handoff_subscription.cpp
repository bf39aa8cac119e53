#include "production/fair_queue/handoff_subscription.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "production/fair_queue/queue.h"

namespace fair_queue {
namespace {

using std::chrono::milliseconds;

// A connection that leaves a PING, or the SUBSCRIBE, unanswered for so long is dead.
constexpr milliseconds longest_silence{1'000};

// The thread leaves the reading to the waiters for so long, before it looks again.
constexpr milliseconds thread_pause{100};

int milliseconds_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

using Sources = std::array<pollfd, 3>;
constexpr pollfd nothing{.fd = -1, .events = 0, .revents = 0};

pollfd to_poll(const core::AsyncConnection* channel) {
  if (channel == nullptr || channel->broken()) return nothing;
  return {.fd = channel->descriptor(), .events = channel->wants(), .revents = 0};
}

}  // namespace

std::shared_ptr<HandoffSubscription> HandoffSubscription::of(const core::Address& server) {
  static std::mutex mutex;
  static std::map<core::Address, std::weak_ptr<HandoffSubscription>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[server];
  auto subscription = known.lock();
  if (!subscription) {
    subscription = std::make_shared<HandoffSubscription>(server);
    known = subscription;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return subscription;
}

HandoffSubscription::~HandoffSubscription() {
  thread_.request_stop();
  wake_thread_.wake();
}

void HandoffSubscription::wait(Waiter& waiter, std::uint64_t generation,
                               std::chrono::microseconds time, const std::stop_token& stop) {
  std::call_once(started_, [this] {
    thread_ = std::jthread([this](const std::stop_token& closing) { run(closing); });
  });
  const auto until =
      Clock::now() + std::min<std::chrono::microseconds>(time, std::chrono::hours(1));
  if (waiter.lease() < shortest_lease_.load()) shortest_lease_ = waiter.lease();
  bool has_read = false;
  while (waiter.generation() <= generation && Clock::now() < until && !stop.stop_requested()) {
    waiter.prepare_to_wait();  // the reader may stop at any moment, and then wakes a waiter
    const std::unique_lock reading(reading_, std::try_to_lock);
    has_read = reading.owns_lock();
    if (!has_read) {
      waiter.wait(generation, until, stop);
    } else {
      waiter.wake();
      read(waiter, generation, until, stop);
    }
  }
  if (has_read) waiters_.wake_one();  // to read in this thread's place
}

void HandoffSubscription::read(Waiter& waiter, std::uint64_t generation, Clock::time_point until,
                               const std::stop_token& stop) {
  const std::stop_callback ends(stop, [this] { stop_reading_.wake(); });
  for (;;) {
    connect();
    receive();
    send_ping();
    if (waiter.generation() > generation || Clock::now() >= until || stop.stop_requested()) break;
    Sources sources{stop_reading_.to_poll(), to_poll(subscription_.get()),
                    to_poll(commands_.get())};
    const auto next = subscription_ ? next_ping() : connect_at_;
    poll(sources.data(), sources.size(), milliseconds_until(std::min(until, next)));
    stop_reading_.clear();
  }
}

void HandoffSubscription::connect() {
  if (subscription_ || Clock::now() < connect_at_) return;
  subscription_ = std::make_unique<core::AsyncConnection>(server_);
  subscription_->send(std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
  pinged_ = Clock::now();  // an answer to this does as well as a PONG
  awaits_pong_ = true;
}

void HandoffSubscription::disconnect() {
  subscription_.reset();
  wake_thread_.wake();  // otherwise the thread would go on listening to it, which keeps it open
  subscribed_ = false;
  awaits_pong_ = false;
  since_ = Clock::time_point::min();
  connect_at_ = Clock::now() + core::reconnect_pause;
}

Clock::time_point HandoffSubscription::next_ping() const {
  if (awaits_pong_) return pinged_ + longest_silence;
  // The new owner does not know when exactly its lease began: that costs it at most a tenth.
  const auto period =
      std::clamp(shortest_lease_.load() / 10, milliseconds(10), milliseconds(1'000));
  return pinged_ + period;
}

void HandoffSubscription::send_ping() {
  const auto now = Clock::now();
  if (!subscription_ || now < next_ping()) return;
  if (awaits_pong_) return disconnect();
  pinged_ = now;
  awaits_pong_ = true;
  subscription_->send(std::array<std::string_view, 1>{"PING"});
  subscription_->flush();
}

bool HandoffSubscription::receive() {
  bool received = false;
  for (auto* channel : {subscription_.get(), commands_.get()}) {
    if (channel != nullptr) channel->advance();
  }
  while (commands_ && commands_->next()) {
  }
  while (const auto said = subscription_ ? subscription_->next() : std::nullopt) {
    received = true;
    if (said->text(0) == "pong") {
      awaits_pong_ = false;
      since_ = pinged_;
    } else if (said->text(0) == "message") {
      deliver(said->text(2));
    } else if (said->text(0) == "subscribe") {
      subscribed_ = true;  // until now the lock was handed past us
      awaits_pong_ = false;
      waiters_.notify_all();
    } else {  // an error: it was refused; subscribe again
      disconnect();
    }
  }
  if (subscription_ && subscription_->broken()) disconnect();
  return received;
}

void HandoffSubscription::deliver(std::string_view message) {
  // As queue.lua writes it: token, participant and key, with spaces between them.
  const auto first = message.find(' ');
  const auto second = message.find(' ', first + 1);
  if (second == std::string_view::npos) return;
  const auto token = message.substr(0, first);
  if (const auto waiter = waiters_.find(token)) return waiter->hand_over(since_);
  const auto words = Queue::pass_on_command(message.substr(second + 1), token,
                                            message.substr(first + 1, second - first - 1));
  if (!commands_ || commands_->broken())
    commands_ = std::make_unique<core::AsyncConnection>(server_);
  commands_->send(std::vector<std::string_view>(words.begin(), words.end()));
  wake_thread_.wake();  // the reader may leave before it is sent
}

void HandoffSubscription::run(const std::stop_token& stop) {
  Sources sources{wake_thread_.to_poll(), nothing, nothing};
  int limit = 0;
  while (!stop.stop_requested()) {
    poll(sources.data(), sources.size(), limit);
    wake_thread_.clear();
    std::unique_lock reading(reading_, std::try_to_lock);
    if (reading) connect();
    const bool received = reading && receive();
    const bool is_mine = reading.owns_lock();
    if (!is_mine || (!received && limit < 0)) {  // the waiters have read it: leave it to them
      sources = {wake_thread_.to_poll(), nothing, nothing};
      limit = static_cast<int>(thread_pause.count());
    } else {
      sources = {wake_thread_.to_poll(), to_poll(subscription_.get()), to_poll(commands_.get())};
      limit = subscription_ ? -1 : static_cast<int>(core::reconnect_pause.count());
    }
    if (is_mine) {
      reading.unlock();
      waiters_.wake_one();
    }
  }
}

}  // namespace fair_queue
