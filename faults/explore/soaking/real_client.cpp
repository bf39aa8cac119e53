#include "faults/explore/soaking/real_client.h"

#include <utility>
#include <vector>

#include "faults/explore/world/event.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;

// One operation in so many has a fault in its way, while there may be one.
constexpr std::size_t operations_for_a_fault = 6;

// The kinds that fit an operation.
std::vector<unsigned> kinds_for(const std::string& operation, unsigned allowed) {
  const bool works = operation == "work";
  std::vector<unsigned> fitting;
  for (const unsigned kind :
       {freeze_fault, kill_fault, lose_fault, slow_fault, cut_fault, amnesia_fault, clock_fault}) {
    const bool fits = kind == lose_fault ? !works : kind != slow_fault || works;
    if ((allowed & kind) != 0 && fits) fitting.push_back(kind);
  }
  return fitting;
}

}  // namespace

RealClient::RealClient(faults::World& world, faults::History& history, RoundSettings& settings,
                       std::string name, int passes, std::uint64_t seed)
    : world_(world),
      history_(history),
      settings_(settings),
      client_(world.client(name)),
      dice_(seed),
      passes_left_(passes),
      goes_on_at_(std::chrono::steady_clock::now() +
                  dice_.time(std::chrono::microseconds(0), settings.lease)) {}

void RealClient::look(Time now) {
  if (dead_) return;
  if (mends_at_ && now >= *mends_at_) mend();
  if (thaws_at_) {
    if (now < *thaws_at_) return;
    client_.thaw();
    thaws_at_.reset();
  }
  if (armed_ && armed_->fired()) strike(now);
  if (dead_ || thaws_at_) return;
  if (!pending_) return go_on(now);
  const bool never_answers = now - asked_at_ > 2 * faults::answer_limit;
  if (pending_->answered() || never_answers) take(pending_->wait(milliseconds(0)), now);
}

void RealClient::go_on(Time now) {
  if (passes_left_ == 0 || now < goes_on_at_) return;
  if (const auto operation = place_.next(settings_.program, last_, outcome_)) {
    last_ = *operation;
    throw_for(*operation, now);
    ask(*operation);
    asked_at_ = now;
    return;
  }
  place_ = {};
  last_.clear();
  outcome_.clear();
  --passes_left_;
  ++settings_.passes;
  goes_on_at_ = now + dice_.time(std::chrono::microseconds(0), settings_.lease);
}

void RealClient::ask(const std::string& operation) {
  if (operation == "acquire") {
    const auto wait = settings_.program.wait_in_leases * settings_.lease;
    pending_ = client_.start_acquire(
        {.wait = std::chrono::duration_cast<milliseconds>(wait), .may_fail = true});
  } else if (operation == "release") {
    pending_ = client_.start_release({.may_fail = true});
  } else {
    pending_ = client_.start_request({{"op", operation}, {"key", faults::lock_key}, {"amount", 1}});
  }
}

void RealClient::take(const std::string& outcome, Time now) {
  if (outcome == "died") {
    throw faults::ClientFailed(client_.name() + " died, and nobody had killed it");
  }
  outcome_ = outcome;
  pending_.reset();
  if (armed_ && armed_->fired()) {
    strike(now);
  } else if (armed_) {  // it did not come to that
    ++settings_.faults_left;
    --settings_.faults_thrown;
  }
  armed_.reset();
  goes_on_at_ = now + dice_.time(std::chrono::microseconds(0), settings_.lease / 20);
}

void RealClient::throw_for(const std::string& operation, Time now) {
  if (settings_.faults_left == 0 || mends_at_ || !dice_.one_in(operations_for_a_fault)) return;
  const auto fitting = kinds_for(operation, settings_.faults);
  if (fitting.empty()) return;
  --settings_.faults_left;
  ++settings_.faults_thrown;
  arm(fitting[dice_.below(fitting.size())], operation, now);
}

faults::Link& RealClient::some_link(const std::string& operation) {
  if (operation == "work") return client_.storage_link();
  return client_.lock_link(dice_.below(client_.lock_links()));
}

void RealClient::arm(unsigned kind, const std::string& operation, Time now) {
  const faults::Where reply{.direction = Direction::reply,
                            .nth = static_cast<int>(1 + dice_.below(2))};
  armed_kind_ = kind;
  const auto lease = std::chrono::duration_cast<milliseconds>(settings_.lease);
  switch (kind) {
    case freeze_fault:
    case kill_fault: armed_.emplace(some_link(operation).arm(reply, Action::hold_back)); break;
    case lose_fault: armed_.emplace(some_link(operation).arm(reply, Action::reset)); break;
    case slow_fault: {
      const auto delay = std::chrono::duration_cast<milliseconds>(
          dice_.time(settings_.lease, 3 * settings_.lease));
      armed_.emplace(client_.storage_link().arm(
          {.direction = Direction::command, .nth = 1, .command = "WRITE"}, Action::delay, delay));
      break;
    }
    case cut_fault: cut_off(now); break;
    case amnesia_fault: world_.nodes.restart_empty(dice_.below(world_.nodes.size())); break;
    default: world_.nodes.step_first_clocks(1, 2 * lease); break;
  }
}

void RealClient::strike(Time now) {
  if (armed_kind_ == freeze_fault) {
    client_.freeze();
    thaws_at_ = now + dice_.time(settings_.lease / 4, 3 * settings_.lease);
  } else if (armed_kind_ == kill_fault) {
    client_.kill();
    dead_ = true;
  } else {
    return;
  }
  armed_->deliver();
  armed_.reset();
}

void RealClient::cut_off(Time now) {
  history_.add(client_.name(), faults::Kind::fault, {{"what", faults::fault::unreachable}});
  for (std::size_t i = 0; i < client_.lock_links(); ++i) {
    client_.lock_link(i).decide_by([](const faults::Boundary&) { return Action::hold_back; });
  }
  mends_at_ = now + dice_.time(settings_.lease / 4, 3 * settings_.lease);
}

void RealClient::mend() {
  history_.add(client_.name(), faults::Kind::fault, {{"what", faults::fault::reachable}});
  for (std::size_t i = 0; i < client_.lock_links(); ++i) client_.lock_link(i).decide_by({});
  mends_at_.reset();
}

}  // namespace explore
