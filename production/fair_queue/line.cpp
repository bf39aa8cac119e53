#include "production/fair_queue/line.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/shared_instances.h"
#include "core/waiting.h"
#include "stage6_reentrant/identity.h"

namespace fair_queue {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A waiter that does not ask the lock for so long, during its turn, is passed over.
constexpr milliseconds longest_turn{250};
constexpr std::string_view longest_turn_us = "250000";
// The pauses of a waiter that is refused during its turn: the message may have overtaken the
// release. They double, until it asks as seldom as others look. After a few it looks whether the
// lock is free before it asks.
constexpr microseconds first_pause{200};
constexpr int quick_refusals = 3;
// A waiter gives up after so many looks in a row that failed.
constexpr int most_failures = 10;
// PTTL of a key that is not there: https://redis.io/docs/latest/commands/pttl/
constexpr milliseconds no_lock{-2};

}  // namespace

Line::Line(std::shared_ptr<LineServers> servers, const std::vector<core::Address>& addresses,
           std::string key)
    : servers_(std::move(servers)),
      key_(std::move(key)),
      line_(key_ + ":line"),
      shared_(shared_by_all(addresses, key_)),
      listener_(*shared_->listener) {}

std::shared_ptr<Line::Shared> Line::shared_by_all(const std::vector<core::Address>& addresses,
                                                  const std::string& key) {
  static core::SharedInstances<std::pair<std::vector<core::Address>, std::string>, Shared> all;
  return all.get({addresses, key},
                 [&] { return std::make_shared<Shared>(Listener::of(addresses)); });
}

std::shared_ptr<Line::Place> Line::my_place() const {
  return shared_->places.get().value_or(nullptr);
}

std::shared_ptr<Line::Place> Line::place_to_wait() {
  if (auto place = my_place()) {
    if (place->depth == 0) return place;
    leave();  // its hold is over
  }
  auto place = std::make_shared<Place>(Place{.waiter = listener_.add(shared_->looks_at)});
  place->text = place->waiter->token() + " " + listener_.channel() + " " + stage6::participant() +
                " " + stage6::host_and_process();
  shared_->places.set(place);
  return place;
}

void Line::forget_place() {
  if (const auto place = my_place()) listener_.remove(*place->waiter);
  shared_->places.clear();
}

bool Line::is_my_turn(Position position) {
  const auto place = place_to_wait();
  if (const auto turn = place->waiter->take_turn()) {
    place->has_turn = place->is_in_line = true;
    place->is_followed = turn->is_followed;
    place->refusals = 0;
    return true;
  }
  const auto now = Clock::now();
  const int refusals = place->is_in_line ? quick_refusals : 0;
  const bool is_due = place->has_turn ? now >= place->ask_at && place->refusals > refusals
                                      : now >= place->waiter->look_time();
  if (is_due) look_or_wait(*place, position);
  return place->has_turn && Clock::now() >= place->ask_at;
}

void Line::look_or_wait(Place& place, Position position) {
  try {
    look(place, position);
    place.failures = 0;
  } catch (const core::ServerError&) {
    // A server may be away for a moment while a thread waits in line.
    if (!place.is_in_line || ++place.failures > most_failures) throw;
    place.has_turn = false;
    place.waiter->look_at(Clock::now() + look_every);
  }
}

void Line::look(Place& place, Position position) {
  const bool stays = place.refusals > 0;
  if (!place.is_in_line) listener_.subscribe();
  if (const int server = listener_.take_move(); server >= 0) {
    servers_->follow_to(static_cast<std::size_t>(server));
  }
  place.waiter->begin_to_look();
  const auto alone = listener_.pass_alone();
  const auto answer = servers_->ask(
      {key_, line_}, {stays ? "stay" : "enter", place.text,
                      position == Position::last ? "0" : "1000000000000000", longest_turn_us});
  const milliseconds left(answer.reply.integer(1));
  place.server = answer.server;
  place.has_turn = answer.reply.integer(0) == 1;
  place.is_in_line = stays || !place.has_turn;
  place.is_followed = answer.reply.integer(2) == 1;
  const auto next_look = left > milliseconds(0) ? std::min(left, look_every) : longest_turn;
  if (place.has_turn && left != no_lock) pause_after_refusal(place, next_look);
  listener_.look_at(*shared_->looks_at, Clock::now() + next_look);
}

void Line::refused() {
  pause_after_refusal(*my_place(), look_every);
}

void Line::pause_after_refusal(Place& place, milliseconds longest) {
  const auto pause = first_pause * (1 << std::min(place.refusals, 20));
  place.ask_at = Clock::now() + std::min<microseconds>(pause, longest);
  ++place.refusals;
}

void Line::acquired() {
  const auto place = my_place();
  place->depth = 1;
  listener_.remove(*place->waiter);
}

bool Line::pause(microseconds time, const std::stop_token& stop) {
  const auto place = my_place();
  if (!place) return core::pause_for(time, stop);
  const auto end = Clock::now() + time;
  while (!stop.stop_requested() && !place->waiter->has_turn()) {
    const auto look_at = place->waiter->look_time();
    const auto until = std::min<Clock::time_point>(end, place->has_turn ? place->ask_at : look_at);
    if (Clock::now() >= until) break;
    listener_.wait(*place->waiter, until, stop);
  }
  return !stop.stop_requested();
}

void Line::give_up() noexcept {
  const auto place = my_place();
  if (!place) return;
  const auto alone = listener_.pass_alone();
  leave(place->has_turn || place->waiter->has_turn() ? "leave" : "quit");
}

void Line::entered_again() {
  if (const auto place = my_place()) ++place->depth;
}

void Line::left_level() {
  if (const auto place = my_place()) --place->depth;
}

void Line::leave() noexcept {
  leave("leave");
}

void Line::leave(std::string_view action) noexcept {
  const auto place = my_place();
  const std::string text = place ? place->text : std::string();
  forget_place();
  try {
    const auto answer = servers_->ask({key_, line_}, {action, text});
    // Otherwise the others wait in another line: they are to come to this one.
    const bool has_moved = place && place->server != answer.server;
    if (has_moved) servers_->announce(answer.server, Listener::moves);
  } catch (const core::ServerError&) {
  }
}

Line::Leaving Line::start_to_leave() noexcept {
  const auto place = my_place();
  if (!place || place->depth != 1) return std::nullopt;
  if (servers_->are_several() && !place->is_followed) return std::nullopt;
  try {
    return servers_->start({key_, line_}, {"leave", place->text});
  } catch (const core::ServerError&) {
    return std::nullopt;
  }
}

void Line::finish_leaving(Leaving leaving) noexcept {
  if (!leaving) return leave();
  try {
    const auto answer = servers_->finish(*leaving);
    // It may have left before the release: then a waiter that came in between waits for its turn.
    const bool is_passed_on = answer.reply.integer() == 1 || !servers_->are_several();
    return is_passed_on && answer.server == my_place()->server ? forget_place() : leave();
  } catch (const core::ServerError&) {
    leave();
  }
}

}  // namespace fair_queue
