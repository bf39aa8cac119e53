// Stories about a stranger whose token is the holder's but for one character: two tokens are the
// same if all of them is.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"
#include "learning/probes/parts.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Action;
using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

namespace {

// What a comparison of a part of it takes for `token`.
std::vector<std::string> variants_of(const std::string& token) {
  const auto another = [](char c) { return c == '0' ? '1' : '0'; };
  auto first = token;
  first.front() = another(first.front());
  auto last = token;
  last.back() = another(last.back());
  return {last, first, token + "0", token.substr(0, token.size() - 1)};
}
constexpr std::size_t ways = 4;  // to look like it

// A lock, word by word: a string, or the fields of a hash and their values.
using Words = std::vector<std::string>;

// What is on `server`. Nothing, if it is something else.
Words lock_on(faults::RedisServer& server) {
  auto& direct = server.direct();
  const auto type = direct.command({"TYPE", faults::lock_key});
  if (type.text() == "string") {
    return {std::string(direct.command({"GET", faults::lock_key}).text())};
  }
  Words words;
  if (type.text() != "hash") return words;
  const auto fields = direct.command({"HGETALL", faults::lock_key});
  for (std::size_t i = 0; i < fields.parts(); ++i) words.emplace_back(fields.text(i));
  return words;
}

// The same of every server.
std::vector<Words> locks_in(World& world) {
  std::vector<Words> locks;
  for (std::size_t i = 0; i < world.nodes.size(); ++i) locks.push_back(lock_on(world.nodes.at(i)));
  return locks;
}

bool has(const Words& lock, const std::string& word) {
  return std::find(lock.begin(), lock.end(), word) != lock.end();
}

// What A's lock is held against: on each server, as it was in an earlier hold, and as B has it.
struct Others {
  std::vector<Words> before;
  std::vector<Words> of_another;
};

// As `client` has it for a while.
std::vector<Words> locks_of(World& world, faults::Client& client) {
  acquire_everywhere(world, client);
  auto locks = locks_in(world);
  client.release();
  hear_all(world, client);
  return locks;
}

Others hold_it_before(World& world) {
  auto of_another = locks_of(world, world.client("B"));
  return {.before = locks_of(world, world.client("A")), .of_another = std::move(of_another)};
}

// A lock with a token that is like the one of `lock`, which is on server `i`. Where that stands is
// the lock's affair: it is what A's lock had not before, or else what B's has not.
Words look_alike_of(Words lock, std::size_t i, const Others& others, std::size_t way) {
  for (const auto* other : {&others.before.at(i), &others.of_another.at(i)}) {
    bool is_another = false;
    for (auto& word : lock) {
      if (word.empty() || has(*other, word)) continue;
      word = variants_of(word)[way];
      is_another = true;
    }
    if (is_another) return lock;
  }
  throw faults::NotExercised(
      "there is no token in the lock's key: a string or a hash in which something is another in "
      "each hold");
}

// The same of what is on every server.
std::vector<Words> look_alikes_in(World& world, const Others& others, std::size_t way) {
  auto locks = locks_in(world);
  for (std::size_t i = 0; i < locks.size(); ++i) {
    locks[i] = look_alike_of(std::move(locks[i]), i, others, way);
  }
  return locks;
}

// What is on `server` becomes `lock`, and keeps its lease.
void change_lock(faults::RedisServer& server, const Words& lock) {
  auto& direct = server.direct();
  if (lock.empty()) return;
  if (lock.size() == 1) {
    (void)direct.command({"SET", faults::lock_key, lock.front(), "KEEPTTL"});
    return;
  }
  const auto before = lock_on(server);
  std::vector<std::string_view> words{"HSET", faults::lock_key};
  words.insert(words.end(), lock.begin(), lock.end());
  (void)direct.command(words);
  for (std::size_t field = 0; field < before.size(); field += 2) {
    if (!has(lock, before[field])) {
      (void)direct.command({"HDEL", faults::lock_key, before[field]});
    }
  }
}

void change_locks(World& world, const std::vector<Words>& locks) {
  for (std::size_t i = 0; i < locks.size(); ++i) change_lock(world.nodes.at(i), locks[i]);
  world.nodes.catch_up();
}

void remove_everywhere(World& world) {
  for (std::size_t i = 0; i < world.nodes.size(); ++i) {
    (void)world.nodes.at(i).direct().command({"DEL", faults::lock_key});
  }
  world.nodes.catch_up();
}

}  // namespace

// Who is no client of ours takes it.
Scenario look_alike() {
  return {
      .name = "look_alike",
      .sentence =
          "B and A have had the lock; then somebody else takes A's lock away, under a token that "
          "is A's but for one character; A gives back what it had",
      .judged = {Property::truthful_outcomes},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        const auto others = hold_it_before(world);
        auto& a = world.client("A");
        for (std::size_t way = 0; way < ways; ++way) {
          world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
          const auto like_it = look_alikes_in(world, others, way);
          remove_everywhere(world);
          change_locks(world, like_it);
          a.release();
          remove_everywhere(world);
        }
      }};
}

// B takes it, and has for a while what looks like A's.
Scenario look_alike_renewed() {
  return {.name = "look_alike_renewed",
          .sentence =
              "B and A have had the lock, and A has it again; when a renewal of A's comes that was "
              "long on its way, the lock is B's, under a token that is A's but for one character",
          .judged = {Property::owner_only_renewal},
          .needs = {fault::held, fault::delivered},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            // Time enough before A gives up on a connection that keeps silent.
            world.clients.set_default_lease(world.timing.medium_lease());
            const auto others = hold_it_before(world);
            auto& a = world.client("A");
            auto& b = world.client("B");
            for (std::size_t way = 0; way < ways; ++way) {
              world.steps.must_acquire(a);
              hear_all(world, a);
              auto renewals =
                  a.arm_everywhere({.direction = Direction::command}, Action::hold_back);
              const auto like_it = look_alikes_in(world, others, way);
              for (const auto& renewal : renewals) renewal.await(world.timing.wait_limit());
              world.nodes.remove_lock();
              acquire_everywhere(world, b);
              const auto its_own = locks_in(world);
              change_locks(world, like_it);
              for (auto& renewal : renewals) renewal.deliver();
              world.wait_for.replies(a);
              change_locks(world, its_own);
              a.release();
              b.release();
              remove_everywhere(world);
            }
          }};
}

}  // namespace learning::probe
