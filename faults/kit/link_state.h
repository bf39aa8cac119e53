// The work of a link on the loop's thread: it accepts clients, and takes each message over its
// boundary.
//
// Thread-safety: the loop's thread only.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/armed_fault.h"
#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/link_connection.h"
#include "faults/kit/loop.h"
#include "faults/kit/resp.h"
#include "faults/kit/told_addresses.h"

namespace faults {

class LinkState {
 public:
  // Listens. Throws std::system_error, as `open` does.
  LinkState(Loop& its_loop, History& history, std::string client, std::string server,
            const core::Address& target, Link::Notes notes);

  [[nodiscard]] int port() const { return port_; }

  // Accepts connections, until the link is closed or shut. Static, with its owner as argument: a
  // coroutine outlives the call that started it.
  [[nodiscard]] static asio::awaitable<void> accept(std::shared_ptr<LinkState> link);

  void close();
  // The port stays ours, without a listener: the kernel refuses connections.
  void shut();
  void open();

  void arm(std::shared_ptr<ArmedFault> fault) { armed_.push_back(std::move(fault)); }
  void disarm(const std::shared_ptr<ArmedFault>& fault);
  void decide_by(std::function<Action(const Boundary&)> decide);
  void cut_off(Direction direction, Link::Whose whose);
  void lead_to(const core::Address& server);

  [[nodiscard]] bool all_answered() const;

  Loop& loop;
  std::vector<SeenCommand> commands_seen;
  std::size_t key_commands = 0;  // of them, those that may use keys
  std::chrono::microseconds latency{0};
  ToldPorts ports;

 private:
  using Owner = std::shared_ptr<LinkConnection>;

  // Passes one direction on until a side hangs up.
  static asio::awaitable<void> pump(std::shared_ptr<LinkState> link, Owner connection,
                                    Direction direction);
  // Tells the other side of a direction that ended.
  static asio::awaitable<void> end(MessageStream& stream);
  static void send_off(const std::shared_ptr<LinkState>& link, const Owner& connection,
                       Direction direction, Message message);
  // Has each message arrive when it is due, until none is under way.
  static asio::awaitable<void> travel(std::shared_ptr<LinkState> link, Owner connection,
                                      Direction direction);

  // One message at its boundary. Throws std::system_error when the connection ends here.
  [[nodiscard]] asio::awaitable<void> pass(const Owner& owner, Direction direction,
                                           Message message);
  // Loses the message, if that is what is to be done: then it returns true.
  [[nodiscard]] bool swallow(Action action, const Boundary& boundary, LinkConnection& connection,
                             ArmedFault* fault);
  // Says whether the other side was gone.
  [[nodiscard]] asio::awaitable<asio::error_code> send_on(LinkConnection& connection,
                                                          const Boundary& boundary,
                                                          Message message);
  [[nodiscard]] asio::awaitable<void> hear_announcements();
  // The decision of `decide`. While that is to hold back, waits for the next `decide_by`.
  [[nodiscard]] asio::awaitable<Action> decision(const Boundary& boundary);
  [[nodiscard]] asio::awaitable<void> hold(ArmedFault& fault, const MessageStream& stream,
                                           int place, const Boundary& boundary);
  [[nodiscard]] asio::awaitable<void> delay(ArmedFault& fault, const Boundary& boundary);
  // Looks whether a message that was to be swallowed really was: fewer have left than have come,
  // and a connection that was to break is no more.
  [[nodiscard]] static std::function<bool()> loss_of(const Owner& owner, Direction direction,
                                                     Action action);

  [[nodiscard]] std::shared_ptr<ArmedFault> claimant(const Boundary& boundary);
  [[nodiscard]] bool is_cut_off(const LinkConnection& connection, Direction direction) const;

  // Writes the message into the history, and returns its boundary.
  [[nodiscard]] Boundary note(LinkConnection& connection, Direction direction,
                              const Message& message, bool vanishes);
  void note_command(LinkConnection& connection, const Message& message, Boundary& boundary);
  void note_reply(LinkConnection& connection, const Message& message, Boundary& boundary);
  void write(Kind kind, nlohmann::json message, bool vanishes);
  void note_fault(std::string_view what, const Boundary& boundary);
  [[nodiscard]] bool takes_notes() const { return notes_ == Link::Notes::every_message; }

  History& history_;
  const std::string client_;
  const std::string server_;
  asio::generic::stream_protocol::endpoint target_;
  std::string target_text_;
  const Link::Notes notes_;
  asio::ip::tcp::acceptor keeper_;  // has the port, and never listens: it is not lost meanwhile
  asio::ip::tcp::acceptor acceptor_;
  asio::ip::port_type port_ = 0;
  std::function<Action(const Boundary&)> decide_;
  asio::steady_timer decided_anew_;           // cancelled when `decide_` changes
  std::map<Direction, Link::Whose> cut_off_;  // what the network swallows
  std::vector<std::weak_ptr<LinkConnection>> connections_;
  std::list<std::shared_ptr<ArmedFault>> armed_;
};

}  // namespace faults
