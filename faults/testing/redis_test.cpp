#include "faults/testing/redis_test.h"

#include "faults/kit/redis_binary.h"
#include "faults/testing/shared_servers.h"

namespace faults {
namespace {

constexpr const char* client = "A";

}  // namespace

RedisTest::RedisTest()
    : reaper_(shared_servers().reaper),
      directory_(reaper_),
      history_(directory_.path() / "history.jsonl"),
      redis_(find_redis(), loop_, history_, reaper_, "redis", directory_.path() / "redis.log",
             Durability::forgets, {}, &shared_servers().pool),
      link_(loop_, history_, client, "redis", redis_.address()),
      server_(link_.address(),
              {.connect = std::chrono::seconds(10), .command = std::chrono::seconds(10)}) {}

std::optional<std::string> RedisTest::value(std::string_view key) {
  const bool is_hash = redis_.direct().command({"TYPE", key}).text() == "hash";
  const auto reply = is_hash ? redis_.direct().command({"HGET", key, "token"})
                             : redis_.direct().command({"GET", key});
  return reply.is_nil() ? std::nullopt : std::optional<std::string>(reply.text());
}

std::chrono::milliseconds RedisTest::time_left(std::string_view key) {
  return std::chrono::milliseconds(redis_.direct().command({"PTTL", key}).integer());
}

long long RedisTest::keys() {
  const auto all = redis_.direct().command({"KEYS", "*"});
  long long found = 0;
  for (std::size_t i = 0; i < all.parts(); ++i) {
    if (!all.text(i).ends_with(":fencing")) ++found;
  }
  return found;
}

void RedisTest::refuse(std::string_view command) {
  redis_.direct().command({"ACL", "SETUSER", "default", "-" + std::string(command)});
}

void RedisTest::accept(std::string_view command) {
  redis_.direct().command({"ACL", "SETUSER", "default", "+" + std::string(command)});
}

std::vector<std::string> RedisTest::sent_during(const std::function<void()>& something) {
  const auto before = history_.record().size();
  something();
  std::vector<std::string> commands;
  for (const auto& event : history_.record()) {
    if (event.number >= before && event.is(Kind::command, client)) {
      commands.push_back(event.text("text"));
    }
  }
  return commands;
}

std::vector<std::string> RedisTest::names_during(const std::function<void()>& something) {
  auto commands = sent_during(something);
  for (auto& command : commands) command.resize(std::min(command.find(' '), command.size()));
  return commands;
}

}  // namespace faults
