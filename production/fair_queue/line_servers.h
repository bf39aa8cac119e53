// The servers that may keep a line: the first that answers does. All clients name them in the same
// order, so that they agree.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "core/redis/server.h"

namespace fair_queue {

using Clock = std::chrono::steady_clock;

class LineServers {
 public:
  // One server, which must outlive this.
  explicit LineServers(core::Server& server);
  // Several. `patience`: the longest wait for one of them. `of`: the connections of this process
  // that wait so long.
  LineServers(const std::vector<core::Address>& servers, std::chrono::milliseconds patience);
  [[nodiscard]] static std::shared_ptr<LineServers> of(const std::vector<core::Address>& servers,
                                                       std::chrono::milliseconds patience);

  using Words = std::initializer_list<std::string_view>;
  struct Answer {
    core::Reply reply;
    std::size_t server;  // which of them gave it
  };
  // Runs line.lua at the first that answers. One that does not is passed over for a while. If none
  // does, each is asked again. Throws what the last one throws. (The script does no harm a second
  // time.)
  [[nodiscard]] Answer ask(Words keys, Words arguments);

  // The same in two steps. One server is asked right after the thread's next command to it, in the
  // same packet; of several one is asked now. `finish` asks no other.
  struct Started {
    std::unique_ptr<core::Server::Started> script;
    std::size_t server;
  };
  [[nodiscard]] Started start(Words keys, Words arguments);
  [[nodiscard]] Answer finish(const Started& started);
  [[nodiscard]] bool are_several() const { return members_.size() > 1; }

  // Another client has found that `server` keeps the lines now: passes over those before it.
  void follow_to(std::size_t server);
  // Tells the others so, on `channel`. Throws what the server throws.
  void announce(std::size_t server, std::string_view channel);

 private:
  struct Member {
    core::Server* server;
    std::atomic<Clock::time_point> passed_over_until = Clock::time_point::min();
  };
  // Returns what `ask` returns for the first server for which it does not throw.
  template <typename Ask>
  auto first_that_answers(Ask ask);
  void pass_over(std::size_t server);

  std::deque<core::Server> own_;  // several
  std::deque<Member> members_;
};

}  // namespace fair_queue
