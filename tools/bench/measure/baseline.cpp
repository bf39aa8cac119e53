#include "tools/bench/measure/baseline.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "core/error.h"

namespace bench {
namespace {

redisContext* open(const core::Address& address) {
  return address.unix_path.empty() ? redisConnect(address.host.c_str(), address.port)
                                   : redisConnectUnix(address.unix_path.c_str());
}

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using OwnedReply = std::unique_ptr<redisReply, FreeReply>;

class Monitor {
 public:
  explicit Monitor(const core::Address& server) : context_(open(server), &redisFree) {
    if (!context_ || context_->err != 0) throw core::Unreachable("cannot connect to listen");
    OwnedReply(static_cast<redisReply*>(redisCommand(context_.get(), "MONITOR")));
  }

  // The next line. Waits for it.
  [[nodiscard]] std::string next() {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) {
      throw core::LostReply("the server stopped telling what it is sent");
    }
    const OwnedReply reply(static_cast<redisReply*>(raw));
    return {reply->str, reply->len};
  }

 private:
  std::unique_ptr<redisContext, decltype(&redisFree)> context_;
};

char unescaped(char letter) {
  switch (letter) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'a': return '\a';
    case 'b': return '\b';
    default: return letter;
  }
}

// The text between `at`, behind an opening quote, and the closing one, which `at` is then behind.
std::string quoted(std::string_view line, std::size_t& at) {
  std::string word;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      word += line[at];
    } else if (line[++at] == 'x') {
      word += static_cast<char>(std::stoi(std::string(line.substr(at + 1, 2)), nullptr, 16));
      at += 2;
    } else {
      word += unescaped(line[at]);
    }
  }
  ++at;
  return word;
}

}  // namespace

Command parse_monitor_line(std::string_view monitor_line) {
  // 1339518083.107412 [0 127.0.0.1:60866] "keys" "*"; [0 lua] for what a script does.
  const auto source_end = monitor_line.find("] \"");
  if (source_end == std::string_view::npos) return {};
  if (monitor_line.substr(0, source_end).ends_with(" lua")) return {};
  Command command;
  for (auto at = source_end + 2; at < monitor_line.size(); ++at) {
    if (monitor_line[at] == '"') command.push_back(quoted(monitor_line, ++at));
  }
  return command;
}

std::vector<Command> commands_during(const core::Address& server,
                                     const std::function<void()>& action) {
  const Command end_mark{"ECHO", "that was all"};
  Monitor monitor(server);
  Baseline end(server, {end_mark});
  action();
  end.once();
  std::vector<Command> commands;
  for (;;) {
    auto command = parse_monitor_line(monitor.next());
    if (command == end_mark) return commands;
    if (!command.empty()) commands.push_back(std::move(command));
  }
}

Baseline::Baseline(const core::Address& server, std::vector<Command> commands)
    : context_(open(server)) {
  if (!context_ || context_->err != 0) {
    throw core::Unreachable(fmt::format("cannot connect to {}", server.text()));
  }
  for (auto& words : commands) {
    auto& command = commands_.emplace_back(Encoded{.words = std::move(words)});
    for (const auto& word : command.words) {
      command.texts.push_back(word.data());
      command.sizes.push_back(word.size());
    }
  }
}

void Baseline::once() {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    send(i);
    receive();
  }
}

void Baseline::send(std::size_t number) {
  auto& command = commands_[number];
  redisAppendCommandArgv(context_.get(), static_cast<int>(command.words.size()),
                         command.texts.data(), command.sizes.data());
  for (int done = 0; done == 0 && redisBufferWrite(context_.get(), &done) == REDIS_OK;) {
  }
}

void Baseline::receive() {
  void* raw = nullptr;
  (void)redisGetReply(context_.get(), &raw);
  check_reply(raw);
}

std::size_t Baseline::receive_available() {
  std::size_t count = 0;
  if (redisBufferRead(context_.get()) != REDIS_OK) check_reply(nullptr);
  for (void* raw = nullptr;; ++count) {
    if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) check_reply(nullptr);
    if (raw == nullptr) return count;
    check_reply(raw);
  }
}

void Baseline::check_reply(void* raw) const {
  const OwnedReply reply(static_cast<redisReply*>(raw));
  if (!reply) throw std::runtime_error(fmt::format("no reply: {}", context_->errstr));
  if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error(reply->str);
}

}  // namespace bench
