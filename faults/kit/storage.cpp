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
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/accepting.h"
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
        history_(history),
        fence_(fence),
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
          const auto reply = storage->answer(message->words);
          co_await asio::async_write(*socket, asio::buffer(reply), use_awaitable);
        }
      }
    } catch (const std::system_error&) {  // the client is gone
    }
  }

  // One command, its words taken apart.
  struct Request {
    std::string account;
    std::string client;
    std::string value;  // of a WRITE
    std::optional<long> token;
  };

  // The value of one account, and the highest token that it has seen.
  struct Account {
    long value = 0;
    std::optional<long> fence;
  };

  [[nodiscard]] std::string answer(const std::vector<std::string>& words) {
    const auto operation = words.empty() ? std::string{} : words.front();
    const std::size_t fixed = operation == "WRITE" ? 4 : 3;  // words without a token
    const bool known = operation == "READ" || operation == "BEGIN" || operation == "WRITE";
    if (!known || words.size() < fixed || words.size() > fixed + 1) {
      return "-ERR use READ account client [token], BEGIN account client [token], "
             "WRITE account client value [token]\r\n";
    }
    Request request{.account = words[1], .client = words[2], .value = {}, .token = {}};
    if (operation == "WRITE") request.value = words[3];
    if (words.size() > fixed) {
      request.token = integer_from(words[fixed]);
      if (!request.token) return "-ERR a token is an integer\r\n";
    }
    if (operation == "READ") return read(request);
    return operation == "BEGIN" ? begin(request) : write(request);
  }

  [[nodiscard]] static std::optional<long> integer_from(const std::string& text) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  [[nodiscard]] std::string read(const Request& request) {
    auto& account = accounts_[request.account];
    const bool accepted = fence_ == Fence::writes_only || lets_in(account, request);
    note("read", request, {{"value", account.value}, {"accepted", accepted}});
    return accepted ? fmt::format(":{}\r\n", account.value) : refusal(account, request);
  }

  [[nodiscard]] std::string begin(const Request& request) {
    note("begin", request, nlohmann::json::object());
    return "+OK\r\n";
  }

  [[nodiscard]] std::string write(const Request& request) {
    const auto value = integer_from(request.value);
    if (!value) return "-ERR a value is an integer\r\n";
    auto& account = accounts_[request.account];
    const bool accepted = lets_in(account, request);
    if (accepted) account.value = *value;
    note("write", request, {{"value", *value}, {"accepted", accepted}});
    return accepted ? "+OK\r\n" : refusal(account, request);
  }

  // Is `request` from no earlier holder than the latest that the account has seen? Remembers it.
  [[nodiscard]] static bool lets_in(Account& account, const Request& request) {
    if (!request.token) return true;
    if (account.fence && *request.token < *account.fence) return false;
    account.fence = request.token;
    return true;
  }

  [[nodiscard]] static std::string refusal(const Account& account, const Request& request) {
    return fmt::format("-FENCED token {} is older than {}\r\n", *request.token, *account.fence);
  }

  void note(const char* what, const Request& request, nlohmann::json data) {
    data["what"] = what;
    data["account"] = request.account;
    if (request.token) data["token"] = *request.token;
    history_.add(request.client, Kind::storage, std::move(data));
  }

  History& history_;
  const Fence fence_;
  asio::ip::tcp::acceptor acceptor_;
  std::vector<std::weak_ptr<Socket>> sockets_;
  std::map<std::string, Account> accounts_;
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
