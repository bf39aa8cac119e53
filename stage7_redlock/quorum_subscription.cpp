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
  tokens_.emplace(token, false);
}

void QuorumSubscription::cancel(const std::string& token) {
  give_back_of(token, [](const Named&, const auto&) { return true; });
}

void QuorumSubscription::refused(const std::string& token) {
  give_back_of(token, [](const Named&, const auto& entry) { return entry.second.is_handed(); });
}

std::string QuorumSubscription::begin_release(const std::string& token) {
  const std::lock_guard guard(mutex_);
  const auto known = tokens_.find(token);
  if (known != tokens_.end()) known->second = true;
  std::string behind;
  for (const auto& release : releases_) {
    const auto named = release.waiters.find(token);
    if (named == release.waiters.end()) continue;
    if (Clock::now() - named->second.heard < waiter_is_believed) behind = named->second.behind;
  }
  return behind;
}

void QuorumSubscription::end_release(const std::string& token, bool is_over) {
  if (is_over) {
    return give_back_of(token, [](const Named& named, const auto& entry) {
      return named.late.contains(entry.first);
    });
  }
  const std::lock_guard guard(mutex_);
  const auto known = tokens_.find(token);
  if (known != tokens_.end()) known->second = false;
}

void QuorumSubscription::give_back_of(
    const std::string& token,
    const std::function<bool(const Named&, const Announcements::value_type&)>& concerns_others) {
  std::unique_lock lock(mutex_);
  const auto all = forget(token);
  lock.unlock();
  for (const auto& named : all) {
    for (const auto& entry : named.at) {
      if (concerns_others(named, entry)) give_back_(entry.first, entry.second);
    }
  }
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
    const auto named = release.waiters.find(token);
    if (named == release.waiters.end()) continue;
    const auto& at = named->second.at;
    const auto is_handed = [](const auto& entry) { return entry.second.is_handed(); };
    const auto handed = std::count_if(at.begin(), at.end(), is_handed);
    if (static_cast<std::size_t>(handed) < majority_) continue;
    return std::find_if(at.begin(), at.end(), is_handed)->second.number;
  }
  return std::nullopt;
}

void QuorumSubscription::receive(const core::Address& node, std::string_view message) {
  const auto hold = take_until('\n', message);
  const Announcement announcement{.waiter = take_until('\n', message),
                                  .number = take_until('\n', message),
                                  .behind = std::string(message)};
  const auto token = token_of(announcement.waiter);
  std::unique_lock lock(mutex_);
  auto& release = announced(hold);
  release.nodes.insert(node);
  if (announcement.waiter.empty()) ++generation_;
  const auto known = tokens_.find(token);
  if (known != tokens_.end()) {
    auto& named = release.waiters[token];
    named.at.insert_or_assign(node, announcement);
    if (known->second) named.late.insert(node);
    if (!announcement.behind.empty()) {
      named.behind = announcement.behind;
      named.heard = Clock::now();
    }
  } else if (!announcement.waiter.empty()) {
    lock.unlock();
    return give_back_(node, announcement);
  }
  lock.unlock();
  changed_.notify_all();
}

microseconds QuorumSubscription::random_pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  constexpr auto most = microseconds(head_start).count();
  return microseconds(std::uniform_int_distribution<microseconds::rep>(1, most)(random));
}

QuorumSubscription::Announced& QuorumSubscription::announced(std::string_view hold) {
  const auto found = std::find_if(releases_.begin(), releases_.end(),
                                  [&](const auto& release) { return release.hold == hold; });
  if (found != releases_.end()) return *found;
  if (releases_.size() == releases_kept) releases_.pop_front();
  return releases_.emplace_back(Announced{.hold = std::string(hold)});
}

bool QuorumSubscription::is_named(const std::string& token) const {
  return std::any_of(releases_.begin(), releases_.end(), [&](const auto& release) {
    return release.waiters.contains(token) && release.nodes.size() >= majority_;
  });
}

std::vector<QuorumSubscription::Named> QuorumSubscription::forget(const std::string& token) {
  tokens_.erase(token);
  std::vector<Named> all;
  for (auto& release : releases_) {
    const auto named = release.waiters.extract(token);
    if (!named.empty()) all.push_back(std::move(named.mapped()));
  }
  return all;
}

}  // namespace stage7
