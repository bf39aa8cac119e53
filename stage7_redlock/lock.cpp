#include "stage7_redlock/lock.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"
#include "stage6_reentrant/identity.h"
#include "stage7_redlock/scripts.h"

namespace stage7 {

using stage5::Clock;
using stage5::Renewal;
using std::chrono::milliseconds;

namespace {

std::shared_ptr<const Renewal> renewal_of(const Quorum& quorum, const std::string& key,
                                          const Options& options) {
  if (options.lease) return nullptr;
  const auto every = options.renew_every.value_or(options.default_lease / 3);
  constexpr std::chrono::milliseconds shortest{10};
  if (every < shortest || every > options.default_lease / 2) {
    throw std::invalid_argument("the lease is too short to be renewed in time");
  }
  return std::make_shared<const Renewal>(Renewal{.server = quorum.nodes().addresses().front(),
                                                 .script = scripts::renew,
                                                 .key = key,
                                                 .every = every,
                                                 .max_hold = options.max_hold});
}

std::shared_ptr<QuorumHold> quorum_hold(const stage6::Level& level) {
  return std::static_pointer_cast<QuorumHold>(level.hold);
}

}  // namespace

Lock::Lock(Quorum& quorum, std::string key, Options options)
    : quorum_(quorum),
      key_(std::move(key)),
      lease_(core::checked_lease(options.lease.value_or(options.default_lease))),
      renewal_(renewal_of(quorum, key_, options)),
      levels_(stage6::Levels::of("stage7 " + quorum.text(), key_)) {}

core::Acquire Lock::try_acquire() {
  const auto inside = levels_->innermost();
  // Whoever is on his way out does not enter once more.
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : try_acquire();
  }
  const bool again = inside && inside->hold->remaining() > milliseconds(0);
  const auto token = again ? inside->hold->token() : core::random_token();
  const int depth = again ? inside->depth + 1 : 1;
  const auto wires = again ? quorum_hold(*inside)->shared_wires() : quorum_.wires();
  const auto asked = Clock::now();
  const auto tally = enter(*wires, token, depth, again ? "join" : "begin");
  if (tally.yes >= quorum_.nodes().majority()) {
    if (again) inside->hold->extend(tally.lease, asked);
    return entered(again ? quorum_hold(*inside) : make_hold(token, tally.lease, asked, wires),
                   depth);
  }
  const auto left = take_back(*wires, token, depth - 1, tally);
  if (again && quorum_.nodes().prevent_majority(tally.over)) {
    watchdog_->lose(inside->hold);
    return try_acquire();
  }
  return refusal(quorum_.nodes(), tally, left);
}

core::Release Lock::release() {
  const auto inside = levels_->innermost();
  if (!inside) return core::Release::not_held;
  const bool outermost = inside->depth == 1;
  if (outermost) watchdog_->renew_no_more(inside->hold);
  levels_->begin_to_leave();
  const auto hold = quorum_hold(*inside);
  const auto outcome = leave(hold->wires(), hold->token(), inside->depth - 1);
  if (outcome == core::Release::unknown) return outcome;
  if (outermost) {
    watchdog_->forget(hold);
    levels_->leave();
  } else {
    leave_a_level();
  }
  return outcome;
}

std::optional<milliseconds> Lock::remaining() const {
  const auto inside = levels_->innermost();
  return inside ? std::optional(inside->hold->remaining()) : std::nullopt;
}

std::stop_token Lock::lost() const {
  const auto inside = levels_->innermost();
  return inside ? inside->hold->lost() : std::stop_token{};
}

bool Lock::held_by_this_thread() const {
  const auto inside = levels_->innermost();
  return inside && !inside->leaving && inside->hold->remaining() > milliseconds(0);
}

int Lock::hold_count() const {
  const auto inside = levels_->innermost();
  return inside ? inside->depth : 0;
}

std::optional<std::string> Lock::hold_token() const {
  const auto inside = levels_->innermost();
  return inside ? std::optional(inside->hold->token()) : std::nullopt;
}

core::Acquire Lock::join(const std::string& hold_token) {
  const auto inside = levels_->innermost();
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : join(hold_token);
  }
  const bool again = inside && inside->hold->token() == hold_token;
  const int depth = again ? inside->depth + 1 : 1;
  const auto wires = again ? quorum_hold(*inside)->shared_wires() : quorum_.wires();
  const auto asked = Clock::now();
  const auto tally = enter(*wires, hold_token, depth, "join");
  if (tally.yes >= quorum_.nodes().majority()) {
    if (again) inside->hold->extend(tally.lease, asked);
    return entered(again ? quorum_hold(*inside) : make_hold(hold_token, tally.lease, asked, wires),
                   depth);
  }
  const auto left = take_back(*wires, hold_token, depth - 1, tally);
  if (again && quorum_.nodes().prevent_majority(tally.over)) watchdog_->lose(inside->hold);
  return refusal(quorum_.nodes(), tally, left);
}

core::Waiting Lock::usual_waiting() const {
  return core::Waiting::exponential(milliseconds(5), milliseconds(160)).jitter(1);
}

std::optional<Holder> Lock::holder() {
  const auto knows = [](const Vote& vote) { return vote.reply && vote.reply->parts() > 0; };
  const auto votes = quorum_.wires()->ask(scripts::holder, {key_}, {}, [&](const Votes& heard) {
    return std::any_of(heard.begin(), heard.end(), knows);
  });
  const auto found = std::find_if(votes.begin(), votes.end(), knows);
  if (found == votes.end()) return std::nullopt;
  const auto& told = *found->reply;
  return Holder{.who = std::string(told.text(0)),
                .since = std::chrono::sys_seconds(std::chrono::seconds(told.integer(1))),
                .lease_left = milliseconds(std::max(told.integer(2), 0LL))};
}

bool Lock::force_release() {
  const auto votes = quorum_.wires()->ask(scripts::remove, {key_}, {}, [](const Votes& heard) {
    return count(heard, [](const Vote& vote) { return vote.is_open(); }) == 0;
  });
  return removal_of(quorum_.nodes(), votes);
}

void Lock::leave_anyway() {
  if (hold_count() > 1) leave_a_level();
}

void Lock::leave_a_level() {
  const auto inside = levels_->innermost();
  quorum_hold(*inside)->repair_with(scripts::acquire, inside->depth - 1);
  levels_->leave();
}

Tally Lock::enter(Wires& wires, const std::string& token, int depth, std::string_view how) {
  const auto votes =
      wires.ask(scripts::acquire, quorum_.with_marker({key_}),
                {token, stage6::participant(), std::to_string(depth),
                 std::to_string(lease_.count()), how, stage6::host_and_process()},
                [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  Tally tally;
  for (const auto& vote : votes) tally.add(vote);
  return tally;
}

core::Acquire Lock::entered(std::shared_ptr<QuorumHold> hold, int depth) {
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  if (hold->remaining() == milliseconds(0)) {
    const std::vector<bool> all(quorum_.nodes().count(), true);
    (void)take_back(hold->wires(), hold->token(), depth - 1, {.heard = all, .may_have_it = all});
    return core::Acquire::unknown;
  }
  hold->repair_with(scripts::acquire, depth);
  if (depth == 1) watchdog_->watch(hold);
  levels_->enter({.hold = std::move(hold), .depth = depth});
  return core::Acquire::acquired;
}

core::Release Lock::leave(Wires& wires, const std::string& token, int depth) {
  const auto votes =
      wires.ask(scripts::release, {key_}, {token, stage6::participant(), std::to_string(depth)},
                [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return release_of(quorum_.nodes(), votes);
}

std::size_t Lock::take_back(Wires& wires, const std::string& token, int depth, const Tally& tally) {
  // Everybody is told, also who has not answered. Who has is waited for: then nothing of it is left
  // when the caller hears of the outcome.
  const auto votes =
      wires.ask(scripts::release, {key_}, {token, stage6::participant(), std::to_string(depth)},
                [&tally](const Votes& answers) {
                  for (std::size_t i = 0; i < answers.size(); ++i) {
                    if (tally.heard[i] && answers[i].is_open()) return false;
                  }
                  return true;
                });
  std::size_t left = 0;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (tally.may_have_it[i] && !votes[i].number()) ++left;
  }
  return left;
}

std::shared_ptr<QuorumHold> Lock::make_hold(const std::string& token, milliseconds lease,
                                            Clock::time_point asked,
                                            std::shared_ptr<Wires> wires) const {
  return std::make_shared<QuorumHold>(token, lease, asked, renewal_, quorum_.shared_nodes(),
                                      quorum_.with_marker({key_}), std::move(wires));
}

}  // namespace stage7
