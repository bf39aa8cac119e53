// A service that bills an order for a caller which holds the order's lock (order.cpp). It never
// takes the lock itself: it enters the caller's hold, or refuses.
//
//   billing [trace-id]    $REDIS_URL says where the server is
//
// Writes its port, and a line for each request.
#include <httplib.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>

#include "production/examples/handed_on/locks.h"

namespace {

using examples::Owner;

constexpr int conflict = 409;

// The lock protects this list; its length says how often the order was billed.
void bill(core::Server& store) {
  store.command({"RPUSH", "bills", "order 4711"});
}

// Answers POST /bill. The request's thread enters the hold, and leaves it before it answers.
std::string answer(core::Server& server, Owner owner, const httplib::Request& request,
                   int& status) {
  const auto trace_id = request.get_header_value(examples::trace_header);
  const auto lock = examples::make_lock(server, owner, trace_id);
  const auto token = request.get_header_value(examples::hold_header);
  if (lock->join(token) != core::Acquire::acquired) {
    status = conflict;
    return "refused: the caller's hold is over";
  }
  // Leaves the hold on an exception, too: else the caller's release would not free the lock.
  const std::unique_lock guard(*lock, std::adopt_lock);
  bill(server);
  return "billed";
}

void serve(core::Server& server, Owner owner) {
  httplib::Server service;
  service.Post("/bill", [&](const httplib::Request& request, httplib::Response& response) {
    response.body = answer(server, owner, request, response.status);
    std::cout << request.get_header_value(examples::trace_header) << ": " << response.body
              << std::endl;
  });
  std::cout << service.bind_to_any_port("127.0.0.1") << std::endl;
  service.listen_after_bind();
}

}  // namespace

int main(int argc, char**) {
  const char* url = std::getenv("REDIS_URL");
  if (url == nullptr) {
    std::cerr << "set REDIS_URL, such as redis://127.0.0.1:6379\n";
    return 2;
  }
  try {
    core::Server server(core::Address::parse(url));
    serve(server, argc > 1 ? Owner::trace_id : Owner::hold);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
