#include "faults/parts/storage.h"

#include <fmt/format.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "faults/errors.h"
#include "faults/parts/resp.h"

namespace faults {

using asio::awaitable;
using asio::use_awaitable;
using Socket = asio::ip::tcp::socket;

class StorageState : public std::enable_shared_from_this<StorageState> {
 public:
  StorageState(Loop& its_loop, History& history)
      : loop(its_loop),
        history_(history),
        acceptor_(its_loop.context(), {asio::ip::make_address("127.0.0.1"), 0}) {}

  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }

  [[nodiscard]] awaitable<void> accept() {
    for (;;) {
      asio::error_code closed;
      Socket socket(loop.context());
      co_await acceptor_.async_accept(socket, asio::redirect_error(use_awaitable, closed));
      if (closed) co_return;
      auto shared = std::make_shared<Socket>(std::move(socket));
      std::erase_if(sockets_, [](const auto& old) { return old.expired(); });
      sockets_.push_back(shared);
      co_spawn(loop.context(), serve(shared_from_this(), shared), asio::detached);
    }
  }

  void close() {
    asio::error_code ignored;
    acceptor_.close(ignored);
    for (auto& old : sockets_) {
      if (const auto socket = old.lock()) socket->close(ignored);
    }
  }

  Loop& loop;

 private:
  static awaitable<void> serve(std::shared_ptr<StorageState> storage,
                               std::shared_ptr<Socket> socket) {
    RespReader reader;
    std::array<char, 4096> bytes{};
    try {
      for (;;) {
        const auto count = co_await socket->async_read_some(asio::buffer(bytes), use_awaitable);
        reader.feed({bytes.data(), count});
        while (const auto message = reader.next()) {
          if (!message->readable) co_return;
          const auto reply = storage->answer(message->words);
          co_await asio::async_write(*socket, asio::buffer(reply), use_awaitable);
        }
      }
    } catch (const std::system_error&) {  // the client is gone
    }
  }

  [[nodiscard]] std::string answer(const std::vector<std::string>& words) {
    const auto operation = words.empty() ? std::string{} : words.front();
    if (operation == "READ" && words.size() == 3) return read(words[1], words[2]);
    if (operation == "BEGIN" && words.size() == 3) return begin(words[1], words[2]);
    if (operation == "WRITE" && words.size() == 4) return write(words[1], words[2], words[3]);
    return "-ERR use READ account client, BEGIN account client, WRITE account client value\r\n";
  }

  [[nodiscard]] std::string read(const std::string& account, const std::string& client) {
    const auto value = accounts_[account];
    history_.add(client, Kind::storage, {{"what", "read"}, {"account", account}, {"value", value}});
    return fmt::format(":{}\r\n", value);
  }

  [[nodiscard]] std::string begin(const std::string& account, const std::string& client) {
    history_.add(client, Kind::storage, {{"what", "begin"}, {"account", account}});
    return "+OK\r\n";
  }

  [[nodiscard]] std::string write(const std::string& account, const std::string& client,
                                  const std::string& text) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      return "-ERR a value is an integer\r\n";
    }
    accounts_[account] = value;
    history_.add(client, Kind::storage,
                 {{"what", "write"}, {"account", account}, {"value", value}, {"accepted", true}});
    return "+OK\r\n";
  }

  History& history_;
  asio::ip::tcp::acceptor acceptor_;
  std::vector<std::weak_ptr<Socket>> sockets_;
  std::map<std::string, long> accounts_;
};

Storage::Storage(Loop& loop, History& history) {
  try {
    state_ = std::make_shared<StorageState>(loop, history);
  } catch (const std::system_error& error) {
    throw CannotRun(fmt::format("cannot listen on 127.0.0.1: {}", error.what()));
  }
  co_spawn(loop.context(), state_->accept(), asio::detached);
}

Storage::~Storage() {
  state_->loop.call([this] { state_->close(); });
}

core::Address Storage::address() const {
  return {.host = "127.0.0.1", .port = state_->port(), .unix_path = {}};
}

}  // namespace faults
