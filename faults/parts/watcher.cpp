#include "faults/parts/watcher.h"

#include <fmt/format.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <functional>

#include "faults/errors.h"
#include "faults/parts/resp.h"

namespace faults {
namespace {

using asio::awaitable;
using asio::use_awaitable;

constexpr std::chrono::milliseconds stuck{200};
constexpr std::string_view key_channel = "__keyspace@0__:";

}  // namespace

class WatcherState {
 public:
  WatcherState(Loop& its_loop, History& history, std::string server_name)
      : loop(its_loop),
        socket(its_loop.context()),
        history_(history),
        server_(std::move(server_name)) {}

  static awaitable<void> listen(std::shared_ptr<WatcherState> watcher) {
    RespReader reader;
    std::array<char, 4096> bytes{};
    try {
      for (;;) {
        const auto count =
            co_await watcher->socket.async_read_some(asio::buffer(bytes), use_awaitable);
        reader.feed({bytes.data(), count});
        while (const auto message = reader.next()) watcher->take(*message);
      }
    } catch (const std::system_error&) {  // the server is gone; nobody waits for it in vain
      for (auto& answered : watcher->pings) answered();
      watcher->pings.clear();
      watcher->closed = true;
    }
  }

  // Calls `answered` when everything announced so far has been taken.
  void ping(std::function<void()> answered) {
    if (closed) return answered();
    pings.push_back(std::move(answered));
    asio::error_code gone;  // then `listen` notices too
    asio::write(socket, asio::buffer(std::string_view("*1\r\n$4\r\nPING\r\n")), gone);
  }

  // The same for a coroutine, which does not wait for a server that stands still.
  static awaitable<void> all_taken(std::shared_ptr<WatcherState> watcher) {
    auto timer = std::make_shared<asio::steady_timer>(watcher->loop.context(), stuck);
    const auto answered = std::make_shared<bool>(false);
    watcher->ping([timer, answered] {
      *answered = true;
      timer->cancel();
    });
    asio::error_code cancelled;
    if (!*answered) co_await timer->async_wait(asio::redirect_error(use_awaitable, cancelled));
  }

  void take(const Message& message) {
    const auto& words = message.words;
    if (words.size() == 4 && words[0] == "pmessage") {
      history_.add(server_, Kind::server,
                   {{"what", words[3]}, {"key", words[2].substr(key_channel.size())}});
    } else if (words.size() == 2 && words[0] == "pong" && !pings.empty()) {
      pings.front()();
      pings.pop_front();
    }
  }

  Loop& loop;
  asio::local::stream_protocol::socket socket;
  std::deque<std::function<void()>> pings;  // what to do when they are answered
  bool closed = false;

 private:
  History& history_;
  const std::string server_;
};

Watcher::Watcher(Loop& loop, History& history, std::string server_name,
                 const core::Address& address)
    : state_(std::make_shared<WatcherState>(loop, history, std::move(server_name))) {
  try {
    state_->socket.connect(asio::local::stream_protocol::endpoint(address.unix_path));
    const auto subscribe = fmt::format("*2\r\n$10\r\nPSUBSCRIBE\r\n${}\r\n{}*\r\n",
                                       key_channel.size() + 1, key_channel);
    asio::write(state_->socket, asio::buffer(subscribe));
  } catch (const std::system_error& error) {
    throw CannotRun(fmt::format("cannot watch the server at {}: {}", address.text(), error.what()));
  }
  co_spawn(loop.context(), WatcherState::listen(state_), asio::detached);
  catch_up();
  loop.call([&] {
    loop.announced[address.text()] = [state = state_] { return WatcherState::all_taken(state); };
  });
  address_ = address.text();
}

Watcher::~Watcher() {
  state_->loop.call([this] {
    asio::error_code ignored;
    state_->loop.announced.erase(address_);
    state_->socket.close(ignored);
  });
}

void Watcher::catch_up() {
  auto answered = std::make_shared<Once>();
  state_->loop.call([&] { state_->ping([answered] { answered->happen(); }); });
  if (!answered->wait(standstill)) {
    throw Stalled(fmt::format("the server did not answer a PING within {} s",
                              standstill / std::chrono::seconds(1)));
  }
}

}  // namespace faults
