// Works on an order while it holds the order's lock. A thread of its own packs it, and a service
// that it calls bills it (billing.cpp): both under the same hold.
//
//   order PORT TRACE_ID PATIENCE_MS [trace-id]    $REDIS_URL says where the server is
//
// Exit codes: 0 done, 1 not billed, 2 could not run.
#include <httplib.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "production/examples/handed_on/locks.h"

namespace {

using examples::Owner;

struct Order {
  int billing_port = 0;
  std::string trace_id;
  std::chrono::milliseconds patience{0};  // with the service
  Owner owner = Owner::hold;
};

// A thread has no part in its parent's hold: it joins it, and leaves.
void pack(core::Lock& lock, const std::string& token) {
  if (lock.join(token) != core::Acquire::acquired) return;  // too late: the hold is over
  const std::unique_lock guard(lock, std::adopt_lock);
  std::cout << "packed" << std::endl;
}

bool bill(const Order& order, const std::string& token) {
  httplib::Client billing("127.0.0.1", order.billing_port);
  billing.set_read_timeout(order.patience);
  const httplib::Headers headers{{examples::hold_header, token},
                                 {examples::trace_header, order.trace_id}};
  const auto answer = billing.Post("/bill", headers, "", "text/plain");
  std::cout << (answer ? answer->body : "no answer in time") << std::endl;
  return answer && answer->status == 200;
}

int work_on(const Order& order, core::Server& server) {
  const auto lock = examples::make_lock(server, order.owner, order.trace_id);
  std::unique_lock guard(*lock);
  std::cout << "holds the order" << std::endl;
  const auto token = lock->hold_token().value();
  if (order.owner == Owner::hold) std::thread([&] { pack(*lock, token); }).join();
  const bool billed = bill(order, token);
  // If the service is still inside, the lock comes free when it leaves.
  guard.unlock();
  return billed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* url = std::getenv("REDIS_URL");
  if (url == nullptr || argc < 4) {
    std::cerr << "set REDIS_URL, and say: order PORT TRACE_ID PATIENCE_MS [trace-id]\n";
    return 2;
  }
  try {
    core::Server server(core::Address::parse(url));
    return work_on({.billing_port = std::stoi(argv[1]),
                    .trace_id = argv[2],
                    .patience = std::chrono::milliseconds(std::stoi(argv[3])),
                    .owner = argc > 4 ? Owner::trace_id : Owner::hold},
                   server);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
