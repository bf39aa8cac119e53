#include "core/redis/route.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/error.h"
#include "core/redis/discovery.h"
#include "core/redis/key_slot.h"

namespace core {

Route::Route(Address deployment, Timeouts timeouts)
    : deployment_(std::move(deployment)), timeouts_(timeouts) {}

Reply Route::exchange(std::span<const std::string_view> words, std::string_view key) {
  auto place = place_of(key);
  int redirections = 0;
  std::size_t refusals = 0;
  for (;;) {
    const auto asked = place.server.text();
    auto reply = send(place, words);
    const auto there = Redirection::in(reply);
    if (!there) return reply;
    if (there->kind == Redirection::Kind::unusable) {
      if (refusals++ == deployment_.discovery->asked.size()) return reply;
      place = look_again(place);
      continue;
    }
    if (redirections++ == most_redirections) {
      throw ErrorReply(fmt::format("{}: the Cluster sent it on {} times, at last from {} to {}:{}",
                                   words.front(), redirections, asked, there->host, there->port));
    }
    follow(*there, place);
  }
}

Route::Place Route::place_of(std::string_view key) {
  const bool has_slots = deployment_.discovery->kind == Discovery::Kind::cluster;
  const int slot = has_slots ? slot_of(key) : -1;
  {
    const std::lock_guard guard(mutex_);
    const auto known = known_.find(slot);
    if (known != known_.end()) return {.slot = slot, .server = known->second};
  }
  return find_anew(slot);
}

Route::Place Route::find_anew(int slot) {
  auto wanted = deployment_;
  wanted.slot = slot;
  auto found = locate(wanted, timeouts_);
  Place place{
      .slot = slot, .server = std::move(found.server), .is_new = true, .named_by = found.named_by};
  remember(place);
  return place;
}

void Route::remember(const Place& place) {
  const std::lock_guard guard(mutex_);
  known_[place.slot] = place.server;
}

void Route::forget(const Place& place) {
  const std::lock_guard guard(mutex_);
  const auto known = known_.find(place.slot);
  if (known != known_.end() && known->second == place.server) known_.erase(known);
  // Its idle connections lead there, too.
  pools_.erase(place.server);
}

void Route::follow(const Redirection& there, Place& place) {
  if (!there.host.empty()) place.server.host = there.host;
  place.server.port = there.port;
  place.is_new = true;
  place.named_by.reset();
  place.asking = there.kind == Redirection::Kind::ask;
  if (!place.asking) remember(place);
}

Route::Place Route::look_again(const Place& place) {
  forget(place);
  // A place that was known for longer may have been right when it was named, and one at the end of
  // a redirection was named by none of those that are asked.
  if (place.named_by) deployment_.discovery->distrust(*place.named_by);
  return find_anew(place.slot);
}

Reply Route::send(Place& place, std::span<const std::string_view> words) {
  for (;;) {
    try {
      return send_there(place, words);
    } catch (const LostReply&) {
      forget(place);
      throw;
    } catch (const AccessDenied&) {
      throw;
    } catch (const Unreachable&) {
      forget(place);
      if (place.is_new) throw;
    }
    place = find_anew(place.slot);
  }
}

Reply Route::send_there(const Place& place, std::span<const std::string_view> words) {
  const auto pool = pool_of(place.server);
  auto connection = pool->borrow();
  if (place.asking) {
    constexpr std::array<std::string_view, 1> asking{"ASKING"};
    auto refused = connection->command(asking);
    if (refused.is_error()) return refused;
  }
  auto reply = connection->command(words);
  pool->give_back(std::move(connection));
  return reply;
}

std::shared_ptr<ConnectionPool> Route::pool_of(const Address& server) {
  const std::lock_guard guard(mutex_);
  auto& pool = pools_[server];
  if (!pool) pool = std::make_shared<ConnectionPool>(server, timeouts_);
  return pool;
}

}  // namespace core
