// Works on an order while it holds the order's lock: once with the lock of one server, and once
// with a fencing token. $REDIS_URL says where the server is, and how to get in.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>

#include "core/redis/server.h"
#include "stage6_reentrant/lock.h"
#include "stage8_fencing/lock.h"

namespace {

using std::chrono::seconds;

void work_alone(core::Server& server) {
  stage6::Lock lock(server, "lock:order:4711");
  const std::unique_lock guard(lock, seconds(5));
  if (!guard.owns_lock()) {
    std::cout << "somebody else works on the order\n";
    return;
  }
  // As long as the work lasts, the lease is renewed; a long work looks at this now and then.
  if (lock.lost().stop_requested()) return;
  std::cout << "worked on the order, with the lock at " << server.address().text() << '\n';
}

// In production there are three servers or five, each with its marker: Quorum::provision().
void work_fenced(const core::Address& address) {
  stage7::Quorum quorum({address}, {.node_timeout = seconds(1), .marker = ""});
  stage8::Lock lock(quorum, "lock:order:4712");
  const std::lock_guard guard(lock);
  std::cout << "the store checks fencing token " << lock.fencing_token().value() << '\n';
}

}  // namespace

int main() {
  const char* url = std::getenv("REDIS_URL");
  if (url == nullptr) {
    std::cerr << "set REDIS_URL, such as redis://127.0.0.1:6379\n";
    return 2;
  }
  try {
    core::Server server(core::Address::parse(url));
    work_alone(server);
    work_fenced(server.address());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
