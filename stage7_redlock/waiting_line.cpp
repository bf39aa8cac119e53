#include "stage7_redlock/waiting_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "stage6_reentrant/identity.h"
#include "stage7_redlock/scripts.h"

namespace stage7 {

using std::chrono::milliseconds;

namespace {

// One node may keep a lock that is free: a vote that was left there. So its word is believed for so
// long, and then all are asked.
constexpr milliseconds one_node_is_believed{100};

std::vector<std::string> keys_of(const std::string& key, const std::vector<std::string>& more) {
  std::vector<std::string> keys{key, key + ":waiters"};
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

// Passes on, to the next waiter, a lock that was handed to one that has given up, or the word that
// it is free.
QuorumSubscription::GiveBack give_back(const Nodes& nodes, core::Script release,
                                       std::vector<std::string> keys, std::string channel) {
  // It is called on the thread that listens, which must not wait, and may live longer than the
  // line.
  return [=, connections = std::make_shared<QuorumConnections>(
                 nodes.addresses(), QuorumSubscription::head_start)](const core::Address& node,
                                                                     const Announcement& named) {
    connections->tell(node, release, {keys.begin(), keys.end()},
                      {token_of(named.waiter), participant_of(named.waiter), "0", "release",
                       channel, named.behind, named.number});
  };
}

}  // namespace

std::shared_ptr<WaitingLine> WaitingLine::of(const std::string& stage, const Quorum& quorum,
                                             const std::string& key, core::Script release,
                                             const std::vector<std::string>& more_keys) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::set<core::Address>, std::string>,
                  std::weak_ptr<WaitingLine>>
      all;
  const std::lock_guard guard(mutex);
  const auto& nodes = quorum.nodes().addresses();
  auto& known = all[{stage, {nodes.begin(), nodes.end()}, key}];
  auto line = known.lock();
  if (!line) {
    line = std::make_shared<WaitingLine>(quorum, key, release, more_keys);
    known = line;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return line;
}

WaitingLine::WaitingLine(const Quorum& quorum, const std::string& key, core::Script release,
                         const std::vector<std::string>& more_keys)
    : nodes_(quorum.shared_nodes()),
      key_(key),
      waiters_(key + ":waiters"),
      channel_(key + ":released"),
      subscription_(std::make_shared<QuorumSubscription>(
          nodes_->majority(), give_back(*nodes_, release, keys_of(key, more_keys), channel_))) {}

WaitingLine::~WaitingLine() {
  if (!thread_) return;
  for (const auto& node : nodes_->addresses()) {
    thread_->unsubscribe(*subscription_, node, channel_);
    thread_->unsubscribe(*subscription_, node, channel_ + ":" + listener_);
  }
}

core::Acquire WaitingLine::try_or_enqueue(
    Quorum& quorum, milliseconds lease,
    const std::function<core::Acquire(const std::string& token)>& enter) {
  const auto known = wait_.get();
  auto wait = known ? *known : start();
  wait.generation = subscription_->generation();
  wait_.set(wait);
  if (!known && is_crowded_) {
    if (enqueue(quorum, wait, lease)) return core::Acquire::contended;
    is_crowded_ = false;
  }
  try {
    const auto outcome = enter(wait.token);
    if (outcome == core::Acquire::unknown) cancel_wait();
    if (outcome == core::Acquire::acquired) wait_.clear();
    if (outcome != core::Acquire::contended) return outcome;
  } catch (...) {
    cancel_wait();
    throw;
  }
  // In this order: what is announced before the subscription is heard of makes it look again.
  subscribe();
  is_crowded_ = true;
  take_new_token(lease);
  // Free at one node, and not at a majority: the votes were split, or it is the one that is late.
  // Those that split them would do it again if they came back together.
  if (!enqueue(quorum, *wait_.get(), lease)) refused(milliseconds(0));
  return core::Acquire::contended;
}

WaitingLine::Wait WaitingLine::start() {
  Wait wait{
      .token = core::random_token(), .since = stage5::Clock::now(), .limit = one_node_is_believed};
  subscription_->add(wait.token);
  return wait;
}

void WaitingLine::take_new_token(milliseconds lease) {
  const auto refused = *wait_.get();
  subscription_->refused(refused.token);
  auto wait = start();
  wait.earlier_entry = text_of(refused, lease);
  wait.generation = refused.generation;
  wait.limit = refused.limit;
  wait_.set(wait);
}

std::string WaitingLine::text_of(const Wait& wait, milliseconds lease) const {
  return fmt::format("{} {} {} {} {}", wait.token, listener_, participant(), lease.count(),
                     host_and_process());
}

bool WaitingLine::pause(std::chrono::microseconds time, const std::stop_token& stop) {
  if (const auto wait = wait_.get()) {
    subscription_->wait(wait->token, wait->generation, std::min(time, wait->limit), stop);
  }
  return !stop.stop_requested();
}

void WaitingLine::refused(milliseconds busy_for) {
  wait_.change([&](auto& wait) {
    wait.limit = std::max<std::chrono::microseconds>(busy_for, QuorumSubscription::random_pause());
    return !wait.token.empty();
  });
}

void WaitingLine::cancel_wait() {
  const auto wait = wait_.get();
  if (!wait) return;
  wait_.clear();
  subscription_->cancel(wait->token);
}

std::optional<WaitingLine::Handed> WaitingLine::handed_over(const std::string& token,
                                                            milliseconds lease) const {
  const auto wait = wait_.get();
  if (!wait || wait->token != token) return std::nullopt;
  auto number = subscription_->handed_over(token);
  if (!number || stage5::Clock::now() - wait->since > lease / 10) return std::nullopt;
  return Handed{.since = wait->since, .number = std::move(*number)};
}

std::string WaitingLine::begin_release(const std::string& token) {
  return subscription_->begin_release(token);
}

core::Release WaitingLine::end_release(const std::string& token, core::Release outcome) {
  using core::Release;
  subscription_->end_release(token, outcome != Release::still_held && outcome != Release::unknown);
  return outcome;
}

void WaitingLine::subscribe() {
  std::call_once(subscribed_, [this] {
    thread_ = stage6::SubscriptionThread::of_this_process();
    for (const auto& node : nodes_->addresses()) {
      thread_->subscribe(subscription_, node, channel_);
      thread_->subscribe(subscription_, node, channel_ + ":" + listener_);
    }
  });
}

bool WaitingLine::enqueue(Quorum& quorum, const Wait& wait, milliseconds lease) {
  return quorum.connections()->ask_first(
             scripts::enqueue, {key_, waiters_},
             {text_of(wait, lease), wait.earlier_entry, std::to_string(lease.count())},
             quorum.line_timeout()) == 0;
}

}  // namespace stage7
