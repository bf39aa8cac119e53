#include "stage7_redlock/quorum_subscription.h"

#include <algorithm>
#include <random>
#include <utility>

namespace stage7 {
namespace {

using std::chrono::microseconds;

// A hold lasts while others come and go: what is older than a few releases matters to nobody.
constexpr std::size_t releases_kept = 8;
// A waiter that was in line so long ago may be gone or frozen: it is told, and not handed the lock.
constexpr std::chrono::milliseconds waiter_is_believed{1'000};

// The part before the first `end`, which is taken off `text` with it.
std::string take_until(char end, std::string_view& text) {
  const auto size = std::min(text.find(end), text.size());
  const std::string part(text.substr(0, size));
  text.remove_prefix(std::min(size + 1, text.size()));
  return part;
}

}  // namespace

std::string token_of(std::string_view waiter) {
  return take_until(' ', waiter);
}

std::string participant_of(std::string_view waiter) {
  for (int i = 0; i < 2; ++i) (void)take_until(' ', waiter);
  return take_until(' ', waiter);
}

QuorumSubscription::QuorumSubscription(std::size_t majority, GiveBack give_back)
    : majority_(majority), give_back_(std::move(give_back)) {}

void QuorumSubscription::add(const std::string& token) {
  const std::lock_guard guard(mutex_);
  tokens_.insert(token);
}

void QuorumSubscription::cancel(const std::string& token) {
  std::unique_lock lock(mutex_);
  const auto named = forget(token);
  lock.unlock();
  for (const auto& release : named) {
    for (const auto& [node, handover] : release.handed) give_back_(node, handover);
  }
}

std::string QuorumSubscription::remove(const std::string& token) {
  const std::lock_guard guard(mutex_);
  std::string behind;
  for (const auto& release : forget(token)) {
    if (Clock::now() - release.heard < waiter_is_believed) behind = release.behind;
  }
  return behind;
}

std::uint64_t QuorumSubscription::generation() const {
  const std::lock_guard guard(mutex_);
  return generation_;
}

void QuorumSubscription::wait(const std::string& token, std::uint64_t generation,
                              microseconds limit, const std::stop_token& stop) {
  const auto until = Clock::now() + limit;
  std::unique_lock lock(mutex_);
  const auto is_told = [&] { return generation_ > generation || is_named(token); };
  if (!changed_.wait_until(lock, stop, until, is_told)) return;
  const auto head_start_ends = Clock::now() + head_start + random_pause();
  changed_.wait_until(lock, stop, std::min(until, head_start_ends),
                      [&] { return is_named(token); });
}

std::optional<std::string> QuorumSubscription::handed_over(const std::string& token) const {
  const std::lock_guard guard(mutex_);
  for (const auto& release : releases_) {
    if (release.waiter != token || release.handed.size() < majority_) continue;
    return release.handed.begin()->second.number;
  }
  return std::nullopt;
}

void QuorumSubscription::receive(const core::Address& node, std::string_view message) {
  const auto hold = take_until('\n', message);
  const Handover handover{.waiter = take_until('\n', message),
                          .number = take_until('\n', message),
                          .behind = std::string(message)};
  const auto token = token_of(handover.waiter);
  std::unique_lock lock(mutex_);
  auto& release = release_of(hold);
  release.nodes.insert(node);
  if (handover.waiter.empty()) ++generation_;
  if (tokens_.contains(token)) {
    release.waiter = token;
    if (handover.is_handed()) release.handed.emplace(node, handover);
    if (!handover.behind.empty()) {
      release.behind = handover.behind;
      release.heard = Clock::now();
    }
  } else if (handover.is_handed()) {
    lock.unlock();
    return give_back_(node, handover);
  }
  lock.unlock();
  changed_.notify_all();
}

microseconds QuorumSubscription::random_pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  constexpr auto most = microseconds(head_start).count();
  return microseconds(std::uniform_int_distribution<microseconds::rep>(1, most)(random));
}

QuorumSubscription::Release& QuorumSubscription::release_of(std::string_view hold) {
  const auto found = std::find_if(releases_.begin(), releases_.end(),
                                  [&](const auto& release) { return release.hold == hold; });
  if (found != releases_.end()) return *found;
  if (releases_.size() == releases_kept) releases_.pop_front();
  return releases_.emplace_back(Release{.hold = std::string(hold)});
}

bool QuorumSubscription::is_named(const std::string& token) const {
  return std::any_of(releases_.begin(), releases_.end(), [&](const auto& release) {
    return release.waiter == token && release.nodes.size() >= majority_;
  });
}

std::vector<QuorumSubscription::Release> QuorumSubscription::forget(const std::string& token) {
  tokens_.erase(token);
  std::vector<Release> named;
  for (auto& release : releases_) {
    if (release.waiter != token) continue;
    named.push_back(std::exchange(release, {.hold = release.hold, .nodes = release.nodes}));
  }
  return named;
}

}  // namespace stage7
