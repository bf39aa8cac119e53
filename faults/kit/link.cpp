#include "faults/kit/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <exception>
#include <utility>

#include "faults/kit/armed_fault.h"
#include "faults/kit/errors.h"
#include "faults/kit/link_state.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

CannotRun cannot_listen(const std::system_error& error) {
  return CannotRun(fmt::format("cannot listen on 127.0.0.1: {}", error.what()));
}

}  // namespace

Fault::Fault(std::shared_ptr<LinkState> link, std::shared_ptr<ArmedFault> armed)
    : link_(std::move(link)), armed_(std::move(armed)) {}

Fault::~Fault() {
  if (!armed_) return;
  const bool unwinding = std::uncaught_exceptions() > 0;
  link_->loop.call([this, unwinding] {
    if (!unwinding) armed_->note_if_still_held();
    link_->disarm(armed_);
  });
}

bool Fault::fired() const {
  return armed_->fired.happened();
}

bool Fault::fires_within(milliseconds limit) const {
  return armed_->fired.wait(limit);
}

void Fault::await(milliseconds limit, const std::function<bool()>& gave_up) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!armed_->fired.wait(milliseconds(2))) {
    const bool too_late = std::chrono::steady_clock::now() > deadline;
    if (!too_late && !(gave_up && gave_up())) continue;
    if (fired()) break;
    const auto& point = armed_->point();
    throw NotExercised(
        fmt::format("waited for {} number {}{}, and it never came: the fault did not happen",
                    point.direction == Direction::command ? "command" : "reply", point.nth,
                    point.command.empty() ? "" : " of " + point.command));
  }
  if (link_->loop.call([this] { return armed_->is_lost && !armed_->is_lost(); })) {
    throw NotExercised("a message that should have been lost at its boundary went through");
  }
}

void Fault::deliver() {
  link_->loop.call([this] {
    if (!armed_->still_held || !armed_->still_held()) {
      throw NotExercised("a message that should have been held at its boundary went through");
    }
    armed_->open_gate();
  });
  if (!armed_->passed.wait(standstill)) {
    throw Stalled(fmt::format("a held message did not go on its way within {} s",
                              standstill / std::chrono::seconds(1)));
  }
}

Link::Link(Loop& loop, History& history, std::string client_name, std::string server_name,
           core::Address server, Notes notes) {
  try {
    state_ = std::make_shared<LinkState>(loop, history, std::move(client_name),
                                         std::move(server_name), server, notes);
  } catch (const std::system_error& error) {
    throw cannot_listen(error);
  }
  co_spawn(loop.context(), LinkState::accept(state_), asio::detached);
}

Link::~Link() {
  state_->loop.call([this] { state_->close(); });
}

core::Address Link::address() const {
  return {.host = "127.0.0.1", .port = state_->port(), .unix_path = {}};
}

Fault Link::arm(FaultPoint point, Action action, milliseconds delay) {
  auto armed =
      std::make_shared<ArmedFault>(state_->loop.context(), std::move(point), action, delay);
  state_->loop.call([&] { state_->arm(armed); });
  return {state_, armed};
}

void Link::decide_by(std::function<Action(const Boundary&)> decide) {
  state_->loop.call([&] { state_->decide_by(std::move(decide)); });
}

bool Link::all_answered() const {
  return state_->loop.call([this] { return state_->all_answered(); });
}

void Link::cut_off(Direction direction, Whose whose) {
  state_->loop.call([&] { state_->cut_off(direction, whose); });
}

void Link::set_latency(std::chrono::microseconds each_way) {
  state_->loop.call([&] { state_->latency = each_way; });
}

void Link::shut() {
  state_->loop.call([this] { state_->shut(); });
}

void Link::open() {
  try {
    state_->loop.call([this] { state_->open(); });
  } catch (const std::system_error& error) {
    throw cannot_listen(error);
  }
  co_spawn(state_->loop.context(), LinkState::accept(state_), asio::detached);
}

void Link::lead_to(core::Address server) {
  state_->loop.call([&] { state_->lead_to(server); });
}

void Link::translate(ToldPorts ports) {
  state_->loop.call([&] { state_->ports = std::move(ports); });
}

std::vector<SeenCommand> Link::seen() const {
  return state_->loop.call([this] { return state_->commands_seen; });
}

std::vector<std::string> Link::commands_seen() const {
  std::vector<std::string> names;
  for (auto& command : seen()) names.push_back(std::move(command.name));
  return names;
}

std::size_t Link::count_key_commands() const {
  return state_->loop.call([this] { return state_->key_commands; });
}

}  // namespace faults
