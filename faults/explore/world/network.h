// The network of a searched world: delivers, loses or delays one message when it is told to.
//
// Thread-safety: none; one thread.
#pragma once

#include <string_view>

#include "faults/explore/world/searched_world.h"

namespace explore {

class Network {
 public:
  explicit Network(SearchedWorld& world) : world_(world) {}

  // The first command on the connection reaches its server, which carries it out; the replies that
  // come of it are then in flight. Throws CannotRun, Stalled.
  void send(SearchedClient& client, ClientConnection& connection);
  // The first reply reaches the client.
  void reply(SearchedClient& client, ClientConnection& connection);
  // It is lost instead, and the connection with it.
  void lose_reply(SearchedClient& client, ClientConnection& connection);
  // The first message of a connection to the storage takes longer than a lease from now on.
  void slow_down(SearchedClient& client, ClientConnection& connection);

  // From now on each server keeps what it had before the last change, for a fail-over.
  void keep_copies(bool keep) { keeps_copies_ = keep; }

 private:
  void carry_out(SearchedClient& client, ClientConnection& connection,
                 const MessageInFlight& command);
  void await_replies(ClientConnection& connection);
  void take_replies(ClientConnection& connection, std::string_view bytes);
  void note(const SearchedClient& client, const ClientConnection& connection,
            const MessageInFlight& message, faults::Kind kind);
  void note_fault(const SearchedClient& client, const ClientConnection& connection,
                  const MessageInFlight& message, std::string_view what, std::string_view side);

  SearchedWorld& world_;
  bool keeps_copies_ = false;
};

}  // namespace explore
