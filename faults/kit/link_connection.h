// One connection that a link passes on: two sockets, and what is on its way between them.
//
// Thread-safety: the loop's thread only.
#pragma once

#include <asio/error.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <utility>

#include "faults/kit/armed_fault.h"
#include "faults/kit/link.h"
#include "faults/kit/resp.h"
#include "faults/kit/unanswered.h"

namespace faults {

using LinkSocket = asio::generic::stream_protocol::socket;

// A message on a wire that has a length.
struct MessageInTransit {
  std::chrono::steady_clock::time_point due;
  Message message;
};

// One direction of one connection. `arrived` and `sent` separate a message that is held back
// from one that slipped through.
struct MessageStream {
  LinkSocket& from;
  LinkSocket& to;
  RespReader reader;
  int arrived = 0;
  int sent = 0;
  bool blackholed = false;
  std::deque<MessageInTransit> in_transit;
  bool moving = false;  // somebody takes care of `in_transit`
  // Cancelled when no wait is needed any more.
  asio::steady_timer all_arrived{to.get_executor(), never_by_itself};
};

struct LinkConnection {
  LinkConnection(LinkSocket client_socket, LinkSocket server_socket)
      : client(std::move(client_socket)),
        server(std::move(server_socket)),
        commands{client, server, {}},
        replies{server, client, {}} {}

  [[nodiscard]] MessageStream& stream(Direction direction) {
    return direction == Direction::command ? commands : replies;
  }

  // Both sides see the connection break, at once.
  void reset() {
    for (auto* socket : {&client, &server}) {
      asio::error_code ignored;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
  }

  LinkSocket client;
  LinkSocket server;
  MessageStream commands;
  MessageStream replies;
  bool replicates = false;   // it carries the stream of changes to a replica
  bool server_left = false;  // the server has closed its side: no command arrives any more
  UnansweredCommands unanswered;
};

}  // namespace faults
