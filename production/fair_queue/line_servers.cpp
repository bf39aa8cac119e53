#include "production/fair_queue/line_servers.h"

#include <utility>

#include "core/error.h"
#include "core/shared_instances.h"
#include "production/fair_queue/scripts.h"

namespace fair_queue {
namespace {

constexpr std::chrono::milliseconds passed_over_for{10'000};

}  // namespace

LineServers::LineServers(core::Server& server) {
  members_.emplace_back(&server);
}

LineServers::LineServers(const std::vector<core::Address>& servers,
                         std::chrono::milliseconds patience) {
  const core::Timeouts timeouts{.connect = patience, .command = patience};
  for (const auto& server : servers) members_.emplace_back(&own_.emplace_back(server, timeouts));
}

std::shared_ptr<LineServers> LineServers::of(const std::vector<core::Address>& servers,
                                             std::chrono::milliseconds patience) {
  static core::SharedInstances<std::pair<std::vector<core::Address>, std::chrono::milliseconds>,
                               LineServers>
      all;
  return all.get({servers, patience},
                 [&] { return std::make_shared<LineServers>(servers, patience); });
}

template <typename Ask>
auto LineServers::first_that_answers(Ask ask) {
  for (int round = 1;; ++round) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      auto& member = members_[i];
      if (round == 1 && are_several() && Clock::now() < member.passed_over_until.load()) continue;
      try {
        return ask(*member.server, i);
      } catch (const core::ServerError&) {
        pass_over(i);
        if (round == 2 && i + 1 == members_.size()) throw;
      }
    }
  }
}

LineServers::Answer LineServers::ask(Words keys, Words arguments) {
  return first_that_answers([&](core::Server& server, std::size_t index) -> Answer {
    return {.reply = server.run(scripts::line, keys, arguments), .server = index};
  });
}

LineServers::Started LineServers::start(Words keys, Words arguments) {
  return first_that_answers([&](core::Server& server, std::size_t index) -> Started {
    return {.script = are_several() ? server.start(scripts::line, keys, arguments)
                                    : server.start_with_next(scripts::line, keys, arguments),
            .server = index};
  });
}

LineServers::Answer LineServers::finish(const Started& started) {
  try {
    return {.reply = started.script->finish(), .server = started.server};
  } catch (const core::ServerError&) {
    pass_over(started.server);
    throw;
  }
}

void LineServers::pass_over(std::size_t server) {
  members_[server].passed_over_until = Clock::now() + passed_over_for;
}

void LineServers::follow_to(std::size_t server) {
  for (std::size_t i = 0; i < server && i < members_.size(); ++i) pass_over(i);
  if (server < members_.size()) members_[server].passed_over_until = Clock::time_point::min();
}

void LineServers::announce(std::size_t server, std::string_view channel) {
  (void)members_[server].server->command({"PUBLISH", channel, std::to_string(server)});
}

}  // namespace fair_queue
