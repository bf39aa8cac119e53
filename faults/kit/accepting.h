// How links and the storage go on when a connection could not be accepted.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>

namespace faults {

// After an accept that `failed`: is there to be another one? Not if `acceptor` was closed. Else the
// machine may have no descriptor left at the moment: waits a little, or that would fail at once.
[[nodiscard]] inline asio::awaitable<bool> may_accept_again(asio::ip::tcp::acceptor& acceptor,
                                                            asio::error_code failed) {
  if (failed == asio::error::operation_aborted) co_return false;
  asio::steady_timer timer(acceptor.get_executor(), std::chrono::milliseconds(10));
  asio::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return acceptor.is_open();
}

}  // namespace faults
