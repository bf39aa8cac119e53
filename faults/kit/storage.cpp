#include "faults/kit/storage.h"

#include <fmt/format.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <string>
#include <vector>

#include "faults/kit/accepting.h"
#include "faults/kit/accounts.h"
#include "faults/kit/errors.h"
#include "faults/kit/resp.h"

namespace faults {

using asio::awaitable;
using asio::use_awaitable;
using Socket = asio::ip::tcp::socket;

class StorageState {
 public:
  StorageState(Loop& its_loop, History& history, Fence fence)
      : loop(its_loop),
        accounts_(fence,
                  [&history](const std::string& client, nlohmann::json seen) {
                    history.add(client, Kind::storage, std::move(seen));
                  }),
        acceptor_(its_loop.context(), {asio::ip::make_address("127.0.0.1"), 0}) {}

  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }

  // Static, with its owner as argument: a coroutine outlives the call that started it.
  [[nodiscard]] static awaitable<void> accept(std::shared_ptr<StorageState> storage) {
    for (;;) {
      asio::error_code failed;
      auto socket = std::make_shared<Socket>(storage->loop.context());
      co_await storage->acceptor_.async_accept(*socket,
                                               asio::redirect_error(use_awaitable, failed));
      if (failed) {
        if (!co_await may_accept_again(storage->acceptor_, failed)) co_return;
        continue;
      }
      if (!storage->acceptor_.is_open()) co_return;  // closed meanwhile: the socket goes with us
      std::erase_if(storage->sockets_, [](const auto& old) { return old.expired(); });
      storage->sockets_.push_back(socket);
      co_spawn(storage->loop.context(), serve(storage, socket), asio::detached);
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
          const auto reply = storage->accounts_.answer(message->words);
          co_await asio::async_write(*socket, asio::buffer(reply), use_awaitable);
        }
      }
    } catch (const std::system_error&) {  // the client is gone
    }
  }

  Accounts accounts_;
  asio::ip::tcp::acceptor acceptor_;
  std::vector<std::weak_ptr<Socket>> sockets_;
};

Storage::Storage(Loop& loop, History& history, Fence fence) {
  try {
    state_ = std::make_shared<StorageState>(loop, history, fence);
  } catch (const std::system_error& error) {
    throw CannotRun(fmt::format("cannot listen on 127.0.0.1: {}", error.what()));
  }
  co_spawn(loop.context(), StorageState::accept(state_), asio::detached);
}

Storage::~Storage() {
  state_->loop.call([this] { state_->close(); });
}

core::Address Storage::address() const {
  return {.host = "127.0.0.1", .port = state_->port(), .unix_path = {}};
}

}  // namespace faults
