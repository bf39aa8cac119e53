#include "faults/kit/watcher.h"

#include <fmt/format.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <functional>

#include "faults/kit/errors.h"
#include "faults/kit/resp.h"

namespace faults {
namespace {

using asio::awaitable;
using asio::use_awaitable;

constexpr std::string_view key_channel = "__keyspace@0__:";
constexpr std::string_view script_without_end = "a script of the lock runs without end: ";

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
      for (auto& answered : watcher->pings) answered({});
      watcher->pings.clear();
      watcher->closed = true;
    }
  }

  // Hears of a PING's answer: the error that it was, or "".
  using Answered = std::function<void(const std::string& error)>;

  // Calls `answered` when everything announced so far has been taken.
  void ping(Answered answered) {
    if (closed) return answered({});
    pings.push_back(std::move(answered));
    asio::error_code gone;  // then `listen` notices too
    asio::write(socket, asio::buffer(std::string_view("*1\r\n$4\r\nPING\r\n")), gone);
  }

  void take(const Message& message) {
    const auto& words = message.words;
    if (words.size() == 4 && words[0] == "pmessage") {
      history_.add(server_, Kind::server,
                   {{"what", words[3]}, {"key", words[2].substr(key_channel.size())}});
    } else if (words.size() == 2 && words[0] == "pong") {
      be_answered({});
    } else if (words.size() == 1 && message.bytes.starts_with('-')) {
      be_answered(message.bytes.substr(1, message.bytes.find('\r') - 1));
    }
  }

  void be_answered(const std::string& error) {
    if (pings.empty()) return;
    const auto answered = std::move(pings.front());
    pings.pop_front();
    answered(error);
  }

  Loop& loop;
  asio::local::stream_protocol::socket socket;
  std::deque<Answered> pings;
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
    loop.announced[address.text()] = [state = state_](const Loop::Heard& heard) {
      state->ping([heard](const std::string&) { heard(); });
    };
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
  struct Answer {
    Once came;
    std::string error;  // set before it comes
  };
  const auto answer = std::make_shared<Answer>();
  state_->loop.call([&] {
    state_->ping([answer](const std::string& error) {
      answer->error = error;
      answer->came.happen();
    });
  });
  if (!answer->came.wait(standstill)) {
    throw Stalled(fmt::format("the server did not answer a PING within {} s",
                              standstill / std::chrono::seconds(1)));
  }
  if (answer->error.empty()) return;
  throw CannotRun(fmt::format("{}the server answers a PING with {}",
                              answer->error.starts_with("BUSY") ? script_without_end : "",
                              answer->error));
}

}  // namespace faults
