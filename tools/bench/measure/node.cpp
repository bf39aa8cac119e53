#include "tools/bench/measure/node.h"

#include <charconv>
#include <random>
#include <string_view>

#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"

namespace bench {
namespace {

// Below the ports that the kernel gives to clients (ip_local_port_range): a client that knocks too
// early on one of those can connect to itself, and the server then finds its port taken.
int some_port() {
  static std::mt19937 random{std::random_device{}()};
  return std::uniform_int_distribution<int>(20'000, 32'000)(random);
}

// A server with ten thousand clients takes its time to answer.
constexpr core::Timeouts patient{.connect = std::chrono::seconds(30),
                                 .command = std::chrono::seconds(30)};

}  // namespace

Node::Node(const Kit& kit)
    : directory_(kit.reaper), direct_(faults::socket_in(directory_.path()), patient) {
  constexpr int tries = 5;
  for (int i = 1; !process_; ++i) {
    port_ = some_port();
    try {
      process_ = faults::start_redis(
          {.binary = kit.redis,
           .arguments = {"--bind", "127.0.0.1", "--dir", directory_.path().native(), "--save", "",
                         "--appendonly", "no"},
           .environment = {},
           .log = directory_.path() / "log",
           .port = port_},
          direct_, kit.reaper);
    } catch (const faults::CannotRun&) {  // somebody else may have that port
      if (i == tries) throw;
    }
  }
}

std::map<std::string, long long> Node::calls() {
  constexpr std::string_view before_name = "cmdstat_";
  constexpr std::string_view before_count = ":calls=";
  const auto reply = direct_.command({"INFO", "commandstats"});
  const auto text = reply.text();
  std::map<std::string, long long> calls;
  for (std::size_t at = 0; (at = text.find(before_name, at)) != std::string_view::npos;) {
    at += before_name.size();
    const auto end = text.find(before_count, at);
    if (end == std::string_view::npos) break;
    const auto* count = text.data() + end + before_count.size();
    std::from_chars(count, text.data() + text.size(),
                    calls[std::string(text.substr(at, end - at))]);
  }
  return calls;
}

double Node::info(std::string_view section, std::initializer_list<std::string_view> names) {
  const auto reply = direct_.command({"INFO", section});
  const auto text = reply.text();
  double sum = 0;
  for (const auto name : names) {
    const auto at = text.find(name);
    double number = 0;
    if (at == std::string_view::npos) continue;
    std::from_chars(text.data() + at + name.size() + 1, text.data() + text.size(), number);
    sum += number;
  }
  return sum;
}

std::vector<std::unique_ptr<Node>> start_nodes(const Kit& kit, std::size_t count) {
  std::vector<std::unique_ptr<Node>> nodes;
  while (nodes.size() < count) nodes.push_back(std::make_unique<Node>(kit));
  return nodes;
}

}  // namespace bench
