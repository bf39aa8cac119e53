#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// One client's question to one server, held on its way there, and the answer on its way back.
struct Vote {
  Fault question;
  Fault answer;
};

// Waits until the question has been asked. Throws NotExercised.
void must_ask(const Client& client, const Vote& vote, const Pending& asking) {
  try {
    must_reach(vote.question, asking);
  } catch (const NotExercised&) {
    throw NotExercised(fmt::format("{} asks one server after the other", client.name()));
  }
}

// Lets the server hear the question, and returns once it has answered.
void cast(Vote& vote, const Pending& asking) {
  vote.question.deliver();
  must_reach(vote.answer, asking);
}

// By server, then by client.
std::vector<std::deque<Vote>> arm_votes(World& world, const std::vector<Client*>& clients) {
  std::vector<std::deque<Vote>> votes(world.servers.size());
  for (std::size_t node = 0; node < world.servers.size(); ++node) {
    for (auto* client : clients) {
      auto& link = client->lock_link(node);
      votes[node].push_back(
          {.question = link.arm({.direction = Direction::command}, Action::hold_back),
           .answer = link.arm({.direction = Direction::reply}, Action::hold_back)});
    }
  }
  return votes;
}

// Every client asks every server at the same moment, and each server hears one of them first, so
// that no client gets a majority: of five servers two hear A first, two B, and one C. No client
// gets an answer before the last vote is cast.
std::vector<Pending> ask_and_split(World& world, const std::vector<Client*>& clients) {
  auto votes = arm_votes(world, clients);
  std::vector<Pending> asking;
  for (auto* client : clients) {
    asking.push_back(client->start_acquire({.lease = world.timing.long_lease(),
                                            .wait = 3 * world.timing.wait_limit(),
                                            .must_get_in = true}));
  }
  for (auto& at_node : votes) {
    for (std::size_t i = 0; i < clients.size(); ++i) must_ask(*clients[i], at_node[i], asking[i]);
  }
  const auto votes_for_each = world.servers.majority() - 1;
  for (std::size_t node = 0; node < world.servers.size(); ++node) {
    const auto first = node / votes_for_each;
    cast(votes[node][first], asking[first]);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (i != first) cast(votes[node][i], asking[i]);
    }
  }
  for (auto& at_node : votes) {
    for (auto& vote : at_node) vote.answer.deliver();
  }
  return asking;
}

// If there are several, the first one reads before the others write, and writes after them.
void work_at_once(World& world, const std::vector<Client*>& inside) {
  if (inside.empty()) return;
  world.steps.stop_at_work(*inside.front(), before_write, [&] {
    for (std::size_t i = 1; i < inside.size(); ++i) inside[i]->work();
  });
}

}  // namespace

void take_turns(World& world, const std::vector<Client*>& clients, std::vector<Pending>& asking) {
  std::vector<bool> over(clients.size());
  while (std::find(over.begin(), over.end(), false) != over.end()) {
    const auto first = WaitFor::first_answer(asking, over);
    // Any other client that gets in says so before it works, however slow its program is.
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (!over[i] && i != first) world.wait_for.rest(*clients[i]);
    }
    std::vector<Client*> inside;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (over[i] || !asking[i].answered()) continue;
      over[i] = true;
      if (asking[i].wait() == "acquired") inside.push_back(clients[i]);
    }
    work_at_once(world, inside);
    for (auto* client : inside) client->release();
  }
}

Scenario split_vote() {
  return {.name = "split_vote",
          .sentence =
              "A, B and C ask at the same moment, and none of them gets a majority; each must get "
              "in, one after the other",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes,
                     Property::nothing_left},
          .needs = {fault::held, fault::delivered},
          .fewest_servers = 2,
          .promises = {"quorum"},
          .run = [](World& world) {
            if (world.servers.size() == 1) throw NotExercised("there is one vote");
            const std::vector<Client*> clients{&world.client("A"), &world.client("B"),
                                               &world.client("C")};
            auto asking = ask_and_split(world, clients);
            take_turns(world, clients, asking);
          }};
}

}  // namespace faults
