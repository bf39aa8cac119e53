#include "stage7_redlock/quorum_subscription.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace stage7 {
namespace {

using std::chrono::microseconds;

// A hold lasts while others come and go: what is older than a few releases matters to nobody.
constexpr std::size_t releases_kept = 8;
// Waiters in line change: after that long the nodes know better who is next.
constexpr std::chrono::milliseconds next_is_known_for{1'000};
// A waiter that others are told of all the time looks for itself after so many head starts.
constexpr int head_starts = 10;

// The part before the first newline, which is taken off `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string token_of(std::string_view waiter) {
  return std::string(waiter.substr(0, waiter.find(' ')));
}

QuorumSubscription::QuorumSubscription(std::size_t majority, GiveBack give_back)
    : majority_(majority), give_back_(std::move(give_back)) {}

void QuorumSubscription::add(const std::string& token) {
  const std::lock_guard guard(mutex_);
  tokens_.insert(token);
}

microseconds QuorumSubscription::random_pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  constexpr auto most = microseconds(head_start).count();
  return microseconds(std::uniform_int_distribution<microseconds::rep>(1, most)(random));
}

void QuorumSubscription::remove(const std::string& token) {
  const std::lock_guard guard(mutex_);
  tokens_.erase(token);
  if (auto* release = release_to(token)) release->is_over = true;
}

void QuorumSubscription::cancel(const std::string& token) {
  std::map<core::Address, Handover> given;
  {
    const std::lock_guard guard(mutex_);
    tokens_.erase(token);
    for (auto& release : releases_) {
      if (release.waiter != token) continue;
      given.merge(release.given);
      release = {.hold = release.hold, .nodes = release.nodes};  // more may come, and goes back
    }
  }
  for (const auto& [node, handover] : given) give_back_(node, handover);
}

std::uint64_t QuorumSubscription::generation() const {
  const std::lock_guard guard(mutex_);
  return generation_;
}

void QuorumSubscription::wait(const std::string& token, std::uint64_t generation,
                              microseconds limit, const std::stop_token& stop) {
  auto latest = Clock::now() + limit;
  auto until = latest;
  bool is_told_first = true;
  std::unique_lock lock(mutex_);
  const auto is_told = [&] { return generation_ > generation || is_named(token); };
  while (changed_.wait_until(lock, stop, until, is_told)) {
    if (is_named(token)) return;
    const auto now = Clock::now();
    if (std::exchange(is_told_first, false)) {
      latest = std::min(latest, now + head_starts * head_start);
    }
    generation = generation_;
    until = std::min(latest, now + head_start + random_pause());
  }
}

std::optional<std::string> QuorumSubscription::take_over(const std::string& token) {
  const std::lock_guard guard(mutex_);
  auto* release = release_to(token);
  if (release == nullptr) return std::nullopt;
  release->is_over = true;
  if (release->given.size() < majority_) return std::nullopt;
  return release->given.begin()->second.number;
}

std::string QuorumSubscription::next_waiter() {
  const std::lock_guard guard(mutex_);
  auto next = std::exchange(next_waiter_, {});
  return Clock::now() - next_heard_ < next_is_known_for ? next : std::string{};
}

void QuorumSubscription::receive(const core::Address& node, std::string_view message) {
  const auto hold = take_line(message);
  const Handover handover{.waiter = std::string(take_line(message)),
                          .number = std::string(take_line(message)),
                          .after = std::string(message)};
  const bool given = handover.number > "0";
  std::unique_lock lock(mutex_);
  if (handover.waiter.empty()) ++generation_;
  if (!hold.empty()) {
    auto& release = release_of(hold);
    release.nodes.insert(node);
    const auto token = token_of(handover.waiter);
    const bool is_ours = tokens_.contains(token) || (release.is_over && release.waiter == token);
    if (is_ours && !handover.after.empty()) {
      next_waiter_ = handover.after;
      next_heard_ = Clock::now();
    }
    if (given && !is_ours) {
      lock.unlock();
      return give_back_(node, handover);
    }
    if (is_ours) release.waiter = token;
    if (given && !release.is_over) release.given.emplace(node, handover);
  }
  lock.unlock();
  changed_.notify_all();
}

QuorumSubscription::Release& QuorumSubscription::release_of(std::string_view hold) {
  const auto found = std::find_if(releases_.begin(), releases_.end(),
                                  [&](const auto& release) { return release.hold == hold; });
  if (found != releases_.end()) return *found;
  if (releases_.size() == releases_kept) releases_.pop_front();
  return releases_.emplace_back(Release{.hold = std::string(hold)});
}

QuorumSubscription::Release* QuorumSubscription::release_to(const std::string& token) {
  const auto found = std::find_if(releases_.begin(), releases_.end(), [&](const auto& release) {
    return !release.is_over && release.waiter == token;
  });
  return found == releases_.end() ? nullptr : &*found;
}

bool QuorumSubscription::is_named(const std::string& token) {
  const auto* release = release_to(token);
  return release != nullptr && release->nodes.size() >= majority_;
}

}  // namespace stage7
