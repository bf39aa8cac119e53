// What the tour says: its introduction, its stops, its end.
#pragma once

#include <array>
#include <vector>

namespace app {

inline constexpr const char* tour_title =
    "How a Redis lock grew up, stage by stage, each broken for real";
inline constexpr const char* tour_words =
    "Clients A, B and C are processes, each behind a link that can stop any command "
    "or reply. In the pictures time runs down. A bar ┃ in a client's lane: it "
    "believes that it holds the lock. In the server's lane: the lock exists, and "
    "whose it is. A lease is how long the server keeps a lock that is not released.";
inline constexpr const char* tour_next =
    "Next: read a stage's README.md, or try ./lab table, ./lab run 3, ./lab "
    "diff 3 4, ./lab suite 3 4; or make a lock hold yourself: ./lab learn start 1";

// What a stop shows at its end: how far its fix goes.
struct Encore {
  const char* stage;
  const char* scenario;
  const char* sentence;
};

// A scenario that breaks a stage and not its successor.
struct Stop {
  const char* stage;
  const char* next;
  const char* scenario;
  const char* question;  // to think about before the run
  std::vector<Encore> encores = {};
};

inline const std::array tour_stops{
    Stop{"1", "2", "killed_holder",
         "A takes the lock and its process is killed. What does B see, and for how long?"},
    Stop{"2", "3", "killed_mid_acquire",
         "Taking the lock is two commands: SETNX, then PEXPIRE. What if A dies between them?"},
    Stop{"3", "4", "frozen_mid_release",
         "Giving back is GET, compare, DEL. What if A stops for a while after GET said \"yours\"?"},
    Stop{"4", "5", "slow_holder",
         "Both ends are atomic now. What if A's work simply takes longer than its lease?"},
    Stop{"5", "6", "nested_lock",
         "The lease follows the work now. What if a function that holds the lock calls another "
         "that takes it?"},
    Stop{"6",
         "7",
         "failover",
         "One thread may come again now. What if the server dies, and its replica is promoted that "
         "has not heard of the lock yet?",
         {{"7", "minority_down",
           "In that run A held all five servers, so one that forgot did not matter. What a "
           "majority is for: two of five die, and the lock still works."}}},
    Stop{"7",
         "8",
         "frozen_holder",
         "Five servers know of the lock now. What if its holder stops right before its write, and "
         "continues after its lease has expired?",
         {{"7", "failover_bare_majority",
           "And if A holds three servers only, and the replica of one of them takes over?"},
          {"8", "failover_bare_majority",
           "The same on stage 8. No stage repairs it: the counter was lost with the lock, and both "
           "get the same token. So no server of a quorum may have a replica that takes over."}}},
};

}  // namespace app
