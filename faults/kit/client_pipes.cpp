#include "faults/kit/client_pipes.h"

#include <array>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <system_error>
#include <utility>

namespace faults {
namespace {

ClientAnswer died() {
  return {.object = {{"outcome", "died"}}};
}

}  // namespace

ClientPipes::ClientPipes(Loop& loop, Process& process, History& history, std::string name)
    : history_(history),
      name_(std::move(name)),
      input_(loop.context(), process.input().release()),
      output_(loop.context(), process.output().release()) {}

asio::awaitable<void> ClientPipes::listen(std::shared_ptr<ClientPipes> pipes) {
  std::array<char, 4096> bytes{};
  try {
    for (;;) {
      const auto count =
          co_await pipes->output_.async_read_some(asio::buffer(bytes), asio::use_awaitable);
      for (const auto& line : pipes->reader_.feed({bytes.data(), count})) pipes->take(line);
    }
  } catch (const std::system_error&) {  // the process has ended
    pipes->closed_ = true;
    for (auto& [id, answer] : std::exchange(pipes->pending_, {})) answer.set_value(died());
  }
}

std::future<ClientAnswer> ClientPipes::ask(const nlohmann::json& request) {
  std::promise<ClientAnswer> promise;
  auto answer = promise.get_future();
  if (closed_) {
    promise.set_value(died());
  } else {
    pending_[request["id"]] = std::move(promise);
    write_line(request.dump());
  }
  return answer;
}

void ClientPipes::write_line(const std::string& line) {
  asio::error_code gone;  // then `listen` notices too
  asio::write(input_, asio::buffer(line + "\n"), gone);
}

void ClientPipes::close() {
  asio::error_code ignored;
  input_.close(ignored);
  output_.close(ignored);
}

std::string ClientPipes::last_line() const {
  const std::lock_guard guard(mutex_);
  return last_line_;
}

std::size_t ClientPipes::lines() const {
  const std::lock_guard guard(mutex_);
  return lines_;
}

void ClientPipes::take(const ClientLine& line) {
  {
    const std::lock_guard guard(mutex_);
    last_line_ = line.text;
    ++lines_;
  }
  if (line.is_event) history_.add(name_, Kind::told, line.object);
  if (!line.id) return;
  auto asked = pending_.extract(*line.id);
  if (!asked.empty()) asked.mapped().set_value({.object = line.object});
}

}  // namespace faults
