#include "stage8_fencing/lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"
#include "stage6_reentrant/identity.h"
#include "stage8_fencing/fenced_hold.h"
#include "stage8_fencing/scripts.h"

namespace stage8 {

using stage5::Clock;
using stage5::Renewal;
using stage7::Quorum;
using stage7::Tally;
using stage7::Vote;
using stage7::Votes;
using stage7::Wires;
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

std::string counter_of(const std::string& key) {
  const std::string ending = ":fencing";
  if (key.ends_with(ending)) {
    throw std::invalid_argument("a key must not end in :fencing, as the counters of others do");
  }
  return key + ending;
}

std::shared_ptr<FencedHold> fenced_hold(const stage6::Level& level) {
  return std::static_pointer_cast<FencedHold>(level.hold);
}

// The two parts of what `hold_token` returned.
std::pair<std::string, std::uint64_t> parts_of(const std::string& hold_token) {
  const auto slash = hold_token.find('/');
  std::uint64_t fencing = 0;
  const auto* end = hold_token.data() + hold_token.size();
  const auto* begin = slash == std::string::npos ? end : hold_token.data() + slash + 1;
  const auto parsed = std::from_chars(begin, end, fencing);
  if (parsed.ec != std::errc{} || parsed.ptr != end || fencing == 0) {
    throw std::invalid_argument("this is not what hold_token() returned");
  }
  return {hold_token.substr(0, slash), fencing};
}

}  // namespace

Lock::Lock(Quorum& quorum, std::string key, Options options)
    : quorum_(quorum),
      key_(std::move(key)),
      counter_(counter_of(key_)),
      lease_(core::checked_lease(options.lease.value_or(options.default_lease))),
      renewal_(renewal_of(quorum, key_, options)),
      levels_(stage6::Levels::of("stage8 " + quorum.text(), key_)) {}

core::Acquire Lock::try_acquire() {
  const auto inside = levels_->innermost();
  // Whoever is on his way out does not enter once more.
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : try_acquire();
  }
  const bool again = inside && inside->hold->remaining() > milliseconds(0);
  const auto token = again ? inside->hold->token() : core::random_token();
  const int depth = again ? inside->depth + 1 : 1;
  const auto wires = again ? fenced_hold(*inside)->shared_wires() : quorum_.wires();
  const auto fencing = again ? fenced_hold(*inside)->fencing_token() : 0;
  const auto asked = Clock::now();
  auto tally = enter(*wires, token, depth, again ? "join" : "begin", fencing);
  if (tally.yes >= quorum_.nodes().majority() && !again) raise(*wires, token, tally);
  if (tally.yes >= quorum_.nodes().majority()) {
    if (again) inside->hold->extend(tally.lease, asked);
    return entered(
        again ? fenced_hold(*inside) : make_hold(token, tally.fencing, tally.lease, asked, wires),
        depth);
  }
  const auto left = take_back(*wires, token, depth - 1, fencing, tally);
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
  const auto hold = fenced_hold(*inside);
  const auto outcome =
      leave(hold->wires(), hold->token(), inside->depth - 1, hold->fencing_token());
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

std::optional<std::uint64_t> Lock::fencing_token() const {
  const auto inside = levels_->innermost();
  return inside ? std::optional(fenced_hold(*inside)->fencing_token()) : std::nullopt;
}

std::optional<std::string> Lock::hold_token() const {
  const auto inside = levels_->innermost();
  if (!inside) return std::nullopt;
  return fmt::format("{}/{}", inside->hold->token(), fenced_hold(*inside)->fencing_token());
}

core::Acquire Lock::join(const std::string& hold_token) {
  const auto [token, fencing] = parts_of(hold_token);
  const auto inside = levels_->innermost();
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : join(hold_token);
  }
  const bool again = inside && inside->hold->token() == token;
  const int depth = again ? inside->depth + 1 : 1;
  const auto wires = again ? fenced_hold(*inside)->shared_wires() : quorum_.wires();
  const auto asked = Clock::now();
  const auto tally = enter(*wires, token, depth, "join", fencing);
  if (tally.yes >= quorum_.nodes().majority()) {
    if (again) inside->hold->extend(tally.lease, asked);
    return entered(
        again ? fenced_hold(*inside) : make_hold(token, fencing, tally.lease, asked, wires), depth);
  }
  const auto left = take_back(*wires, token, depth - 1, fencing, tally);
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
  fenced_hold(*inside)->repair_with(scripts::acquire, inside->depth - 1);
  levels_->leave();
}

FencedTally Lock::enter(Wires& wires, const std::string& token, int depth, std::string_view how,
                        std::uint64_t fencing) {
  const auto votes = wires.ask(
      scripts::acquire, quorum_.with_marker({key_, counter_}),
      {token, stage6::participant(), std::to_string(depth), std::to_string(lease_.count()), how,
       stage6::host_and_process(), std::to_string(fencing)},
      [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  FencedTally tally;
  for (const auto& vote : votes) tally.add(vote);
  return tally;
}

void Lock::raise(Wires& wires, const std::string& token, FencedTally& tally) {
  if (tally.highest >= quorum_.nodes().majority()) return;
  const auto votes =
      wires.ask(scripts::raise, {key_, counter_}, {token, std::to_string(tally.fencing)},
                [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  const auto first = std::exchange(tally, {});
  for (const auto& vote : votes) tally.Tally::add(vote);
  tally.lease = first.lease;
  tally.fencing = first.fencing;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    // Who does not answer this time still has what he gave the first time, and is waited for when
    // it is taken back.
    tally.heard[i] = tally.heard[i] || first.heard[i];
    tally.may_have_it[i] = first.may_have_it[i] && votes[i].number() != 0;
  }
}

core::Acquire Lock::entered(std::shared_ptr<FencedHold> hold, int depth) {
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  if (hold->remaining() == milliseconds(0)) {
    const std::vector<bool> all(quorum_.nodes().count(), true);
    (void)take_back(hold->wires(), hold->token(), depth - 1, hold->fencing_token(),
                    {.heard = all, .may_have_it = all});
    return core::Acquire::unknown;
  }
  hold->repair_with(scripts::acquire, depth);
  if (depth == 1) watchdog_->watch(hold);
  levels_->enter({.hold = std::move(hold), .depth = depth});
  return core::Acquire::acquired;
}

core::Release Lock::leave(Wires& wires, const std::string& token, int depth,
                          std::uint64_t fencing) {
  const auto votes =
      wires.ask(scripts::release, {key_, counter_},
                {token, stage6::participant(), std::to_string(depth), std::to_string(fencing)},
                [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return release_of(quorum_.nodes(), votes);
}

std::size_t Lock::take_back(Wires& wires, const std::string& token, int depth,
                            std::uint64_t fencing, const Tally& tally) {
  // Everybody is told, also who has not answered. Who has is waited for: then nothing of it is left
  // when the caller hears of the outcome.
  const auto votes =
      wires.ask(scripts::release, {key_, counter_},
                {token, stage6::participant(), std::to_string(depth), std::to_string(fencing)},
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

std::shared_ptr<FencedHold> Lock::make_hold(const std::string& token, std::uint64_t fencing,
                                            milliseconds lease, Clock::time_point asked,
                                            std::shared_ptr<Wires> wires) const {
  return std::make_shared<FencedHold>(fencing, token, lease, asked, renewal_,
                                      quorum_.shared_nodes(), quorum_.with_marker({key_, counter_}),
                                      std::move(wires));
}

}  // namespace stage8
