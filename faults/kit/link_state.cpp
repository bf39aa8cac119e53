#include "faults/kit/link_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <cctype>

#include "faults/kit/accepting.h"
#include "faults/kit/command_names.h"
#include "faults/kit/told_addresses.h"

namespace faults {
namespace {

using asio::awaitable;
using asio::use_awaitable;

// A frozen server announces nothing, and is not waited for.
constexpr std::chrono::milliseconds longest_silence{200};

asio::generic::stream_protocol::endpoint endpoint_of(const core::Address& address) {
  if (!address.unix_path.empty()) return asio::local::stream_protocol::endpoint(address.unix_path);
  return asio::ip::tcp::endpoint(asio::ip::make_address(address.host),
                                 static_cast<asio::ip::port_type>(address.port));
}

// Two sockets of ours may have the same port: see `LinkState::keeper_`. (The kernel never
// chooses a port that is taken: socket(7), SO_REUSEPORT.)
void bind_to(asio::ip::tcp::acceptor& acceptor, asio::ip::port_type port) {
  const asio::ip::tcp::endpoint here(asio::ip::make_address("127.0.0.1"), port);
  acceptor.open(here.protocol());
  acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
  acceptor.bind(here);
}

// For each word that is shown shortened, and not random: enough to tell the whole of it from others
// that are shown alike, by what is shown. Not of scripts.
nlohmann::json digests_of_shortened(const Message& command) {
  constexpr std::size_t longest_whole = 12;
  constexpr std::size_t enough = 8;
  auto digests = nlohmann::json::object();
  for (const auto& word : command.words) {
    const auto shown = Message{.bytes = {}, .words = {word}}.text();
    const bool is_hex = std::all_of(word.begin(), word.end(),
                                    [](unsigned char c) { return std::isxdigit(c) != 0; });
    const bool is_random = is_hex && shown.ends_with("…");  // its beginning tells it from others
    if (word.size() <= longest_whole || is_random || &word == script_in(command)) continue;
    digests[shown] = script_digest(word).substr(0, enough);
  }
  return digests;
}

}  // namespace

LinkState::LinkState(Loop& its_loop, History& history, std::string client, std::string server,
                     const core::Address& target, Link::Notes notes)
    : loop(its_loop),
      history_(history),
      client_(std::move(client)),
      server_(std::move(server)),
      target_(endpoint_of(target)),
      target_text_(target.text()),
      notes_(notes),
      keeper_(its_loop.context()),
      acceptor_(its_loop.context()),
      decided_anew_(its_loop.context(), never_by_itself) {
  bind_to(keeper_, 0);
  port_ = keeper_.local_endpoint().port();
  open();
}

awaitable<void> LinkState::accept(std::shared_ptr<LinkState> link) {
  for (;;) {
    asio::error_code failed;
    auto client =
        co_await link->acceptor_.async_accept(asio::redirect_error(use_awaitable, failed));
    if (failed) {
      if (!co_await may_accept_again(link->acceptor_, failed)) co_return;
      continue;
    }
    client.set_option(asio::ip::tcp::no_delay(true), failed);
    LinkSocket server(link->loop.context());
    asio::error_code refused;
    co_await server.async_connect(link->target_, asio::redirect_error(use_awaitable, refused));
    if (!link->acceptor_.is_open()) co_return;  // closed meanwhile: the sockets go with us
    if (refused) continue;                      // the client sees its connection closed
    auto connection =
        std::make_shared<LinkConnection>(LinkSocket(std::move(client)), std::move(server));
    std::erase_if(link->connections_, [](const auto& old) { return old.expired(); });
    link->connections_.push_back(connection);
    for (const auto direction : {Direction::command, Direction::reply}) {
      co_spawn(link->loop.context(), pump(link, connection, direction), asio::detached);
    }
  }
}

void LinkState::close() {
  asio::error_code ignored;
  acceptor_.close(ignored);
  keeper_.close(ignored);
  for (auto& armed : armed_) armed->disarm();
  decide_by({});
  for (auto& old : connections_) {
    if (const auto connection = old.lock()) {
      connection->client.close(ignored);
      connection->server.close(ignored);
    }
  }
}

void LinkState::shut() {
  asio::error_code ignored;
  acceptor_.close(ignored);
}

void LinkState::open() {
  bind_to(acceptor_, port_);
  acceptor_.listen();
}

void LinkState::disarm(const std::shared_ptr<ArmedFault>& fault) {
  fault->disarm();
  armed_.remove(fault);
}

void LinkState::decide_by(std::function<Action(const Boundary&)> decide) {
  decide_ = std::move(decide);
  decided_anew_.cancel();
}

void LinkState::cut_off(Direction direction, Link::Whose whose) {
  cut_off_[direction] = whose;
  history_.add(client_, Kind::fault,
               {{"what", fault::cut_off},
                {"side", direction == Direction::command ? "command" : "reply"},
                {"server", server_}});
}

void LinkState::lead_to(const core::Address& server) {
  target_ = endpoint_of(server);
  target_text_ = server.text();
  for (auto& old : connections_) {
    if (const auto connection = old.lock()) connection->reset();
  }
}

bool LinkState::all_answered() const {
  return std::all_of(connections_.begin(), connections_.end(), [](const auto& old) {
    const auto connection = old.lock();
    return !connection || connection->unanswered.only_block();
  });
}

awaitable<void> LinkState::pump(std::shared_ptr<LinkState> link, Owner connection,
                                Direction direction) {
  auto& stream = connection->stream(direction);
  std::array<char, 16384> bytes{};
  asio::error_code over;
  try {
    for (;;) {
      const auto count = co_await stream.from.async_read_some(
          asio::buffer(bytes), asio::redirect_error(use_awaitable, over));
      if (over) break;
      stream.reader.feed({bytes.data(), count});
      while (auto message = stream.reader.next()) {
        if (link->latency.count() > 0 || stream.moving) {
          send_off(link, connection, direction, std::move(*message));
        } else {
          co_await link->pass(connection, direction, std::move(*message));
        }
      }
    }
  } catch (const std::system_error&) {  // the other side is gone
  }
  if (over && direction == Direction::reply) connection->server_left = true;
  co_await end(stream);
}

// The other side hears of it after everything that came before, be it half a message.
awaitable<void> LinkState::end(MessageStream& stream) {
  while (stream.moving) co_await wait_for_cancel(stream.all_arrived);
  asio::error_code ignored;
  if (!stream.blackholed) {
    co_await asio::async_write(stream.to, asio::buffer(stream.reader.rest()),
                               asio::redirect_error(use_awaitable, ignored));
  }
  stream.to.shutdown(asio::socket_base::shutdown_send, ignored);
}

void LinkState::send_off(const std::shared_ptr<LinkState>& link, const Owner& connection,
                         Direction direction, Message message) {
  auto& stream = connection->stream(direction);
  stream.in_transit.push_back(
      {.due = std::chrono::steady_clock::now() + link->latency, .message = std::move(message)});
  if (stream.moving) return;
  stream.moving = true;
  co_spawn(link->loop.context(), travel(link, connection, direction), asio::detached);
}

awaitable<void> LinkState::travel(std::shared_ptr<LinkState> link, Owner connection,
                                  Direction direction) {
  auto& stream = connection->stream(direction);
  asio::steady_timer timer(link->loop.context());
  try {
    while (!stream.in_transit.empty()) {
      auto next = std::move(stream.in_transit.front());
      stream.in_transit.pop_front();
      timer.expires_at(next.due);
      if (next.due > std::chrono::steady_clock::now()) co_await timer.async_wait(use_awaitable);
      co_await link->pass(connection, direction, std::move(next.message));
    }
  } catch (const std::system_error&) {  // the connection ends here, as `pump` will see
    stream.in_transit.clear();
  }
  stream.moving = false;
  stream.all_arrived.cancel();
}

awaitable<void> LinkState::pass(const Owner& owner, Direction direction, Message message) {
  auto& stream = owner->stream(direction);
  if (direction == Direction::reply) co_await hear_announcements();
  const int place = ++stream.arrived;
  const bool vanishes = stream.blackholed || is_cut_off(*owner, direction);
  const bool is_late = direction == Direction::command && owner->server_left;
  const auto boundary = note(*owner, direction, message, vanishes || is_late);
  if (vanishes) co_return;
  const auto fault = is_late ? nullptr : claimant(boundary);
  const auto action = fault ? fault->action() : co_await decision(boundary);
  if (fault && action == Action::hold_back) co_await hold(*fault, stream, place, boundary);
  if (fault && action == Action::delay) co_await delay(*fault, boundary);
  const bool is_lost = swallow(action, boundary, *owner, fault.get());
  if (fault && action != Action::hold_back) {
    fault->is_lost = loss_of(owner, direction, action);
    fault->fired.happen();
  }
  if (action == Action::reset) throw std::system_error(asio::error::connection_reset);
  if (is_lost) co_return;
  const auto gone = co_await send_on(*owner, boundary, std::move(message));
  if (fault) fault->passed.happen();
  if (gone) throw std::system_error(gone);
}

bool LinkState::swallow(Action action, const Boundary& boundary, LinkConnection& connection,
                        ArmedFault* fault) {
  if (action == Action::reset) {
    note_fault(fault::reset, boundary);
    if (fault != nullptr) fault->fired.happen();  // before the client can notice
    connection.reset();
    return true;
  }
  if (action != Action::drop && action != Action::blackhole) return false;
  note_fault(action == Action::drop ? fault::dropped : fault::blackholed, boundary);
  if (action == Action::blackhole) connection.stream(boundary.direction).blackholed = true;
  // No reply will come to a command that never arrived.
  if (boundary.direction == Direction::command) connection.unanswered.take_back_last();
  return true;
}

awaitable<asio::error_code> LinkState::send_on(LinkConnection& connection, const Boundary& boundary,
                                               Message message) {
  auto& stream = connection.stream(boundary.direction);
  const bool tells =
      boundary.direction == Direction::reply && may_tell_addresses(boundary.command, message);
  if (tells && !ports.empty()) translate_ports(message.bytes, ports);
  ++stream.sent;
  if (is_cut_off(connection, boundary.direction)) {
    history_.add("", Kind::not_exercised,
                 {{"why", "a message went through a link that was cut off"}});
  }
  asio::error_code gone;  // the other side may have died meanwhile
  co_await asio::async_write(stream.to, asio::buffer(message.bytes),
                             asio::redirect_error(use_awaitable, gone));
  co_return gone;
}

awaitable<void> LinkState::hear_announcements() {
  const auto found = loop.announced.find(target_text_);
  if (found == loop.announced.end()) co_return;
  const auto timer = std::make_shared<asio::steady_timer>(loop.context(), longest_silence);
  const auto heard = std::make_shared<bool>(false);
  found->second([timer, heard] {
    *heard = true;
    timer->cancel();
  });
  if (!*heard) co_await wait_for_cancel(*timer);
}

awaitable<Action> LinkState::decision(const Boundary& boundary) {
  auto action = decide_ ? decide_(boundary) : Action::forward;
  if (action != Action::hold_back) co_return action;
  note_fault(fault::held, boundary);
  while (action == Action::hold_back) {
    co_await wait_for_cancel(decided_anew_);
    action = decide_ ? decide_(boundary) : Action::forward;
  }
  note_fault(fault::delivered, boundary);
  co_return action;
}

awaitable<void> LinkState::hold(ArmedFault& fault, const MessageStream& stream, int place,
                                const Boundary& boundary) {
  note_fault(fault::held, boundary);
  fault.still_held = [&stream, place] { return stream.sent < place && stream.arrived == place; };
  fault.fired.happen();
  co_await fault.wait_at_gate();
  fault.still_held = nullptr;
  note_fault(fault::delivered, boundary);
  if (fault.is_forgotten()) {
    history_.add("", Kind::not_exercised,
                 {{"why", fmt::format("{} was held back to the end", boundary.command)}});
  }
}

awaitable<void> LinkState::delay(ArmedFault& fault, const Boundary& boundary) {
  note_fault(fault::delayed, boundary);
  asio::steady_timer timer(loop.context(), fault.delay());
  co_await timer.async_wait(use_awaitable);
}

std::function<bool()> LinkState::loss_of(const Owner& owner, Direction direction, Action action) {
  if (action == Action::forward || action == Action::delay) return {};
  return [watched = std::weak_ptr(owner), direction, action] {
    const auto connection = watched.lock();
    if (!connection) return true;
    const auto& stream = connection->stream(direction);
    const bool open = connection->client.is_open() || connection->server.is_open();
    return stream.sent < stream.arrived && !(action == Action::reset && open) &&
           (action != Action::blackhole || stream.blackholed);
  };
}

std::shared_ptr<ArmedFault> LinkState::claimant(const Boundary& boundary) {
  std::shared_ptr<ArmedFault> first;
  for (const auto& fault : armed_) {  // every one counts; the first that was armed gets it
    if (fault->claims(boundary) && !first) first = fault;
  }
  return first;
}

bool LinkState::is_cut_off(const LinkConnection& connection, Direction direction) const {
  const auto found = cut_off_.find(direction);
  return found != cut_off_.end() &&
         (found->second == Link::Whose::everybodys || connection.replicates);
}

Boundary LinkState::note(LinkConnection& connection, Direction direction, const Message& message,
                         bool vanishes) {
  Boundary boundary{.client = client_,
                    .server = server_,
                    .direction = direction,
                    .command = {},
                    .text = takes_notes() || !armed_.empty() || decide_ ? message.text() : ""};
  if (direction == Direction::reply) {
    note_reply(connection, message, boundary);
    if (takes_notes()) {
      write(Kind::reply,
            {{"from", server_}, {"command", boundary.command}, {"text", boundary.text}}, vanishes);
    }
    return boundary;
  }
  note_command(connection, message, boundary);
  if (takes_notes()) {
    nlohmann::json command{{"to", server_}, {"text", boundary.text}};
    if (boundary.label != boundary.command) command["script"] = boundary.label;
    if (auto whole = digests_of_shortened(message); !whole.empty()) command["whole"] = whole;
    write(Kind::command, std::move(command), vanishes);
  }
  return boundary;
}

void LinkState::note_command(LinkConnection& connection, const Message& message,
                             Boundary& boundary) {
  boundary.command = command_name(message);
  boundary.label = command_label(message);
  if (boundary.command == "PSYNC") connection.replicates = true;
  auto place = UnansweredCommand::nowhere;
  if (!sets_up_connection(boundary.command)) {
    place = commands_seen.size();
    const bool follows = commands_seen.empty() || commands_seen.back().is_answered;
    commands_seen.push_back(
        {.name = boundary.command, .label = boundary.label, .follows_an_answer = follows});
    if (may_use_keys(boundary.command)) ++key_commands;
  }
  connection.unanswered.add({.name = boundary.command, .label = boundary.label, .place = place},
                            message);
}

void LinkState::note_reply(LinkConnection& connection, const Message& message, Boundary& boundary) {
  const auto answered = connection.unanswered.answered_by(message);
  boundary.command = answered ? answered->name : push_name(message);
  boundary.label = answered ? answered->label : boundary.command;
  boundary.script_is_unknown = message.bytes.starts_with("-NOSCRIPT");
  if (!answered || answered->place >= commands_seen.size()) return;
  auto& command = commands_seen[answered->place];
  command.is_answered = true;
  command.is_refused = message.bytes.starts_with('-') || message.bytes.starts_with('!');
  command.script_was_unknown = boundary.script_is_unknown;
}

void LinkState::write(Kind kind, nlohmann::json message, bool vanishes) {
  if (vanishes) message["vanished"] = true;
  history_.add(client_, kind, std::move(message));
}

void LinkState::note_fault(std::string_view what, const Boundary& boundary) {
  const auto* side = boundary.direction == Direction::command ? "command" : "reply";
  history_.add(boundary.client, Kind::fault,
               {{"what", what},
                {"side", side},
                {"command", boundary.command},
                {"server", boundary.server},
                {"text", boundary.text}});
}

}  // namespace faults
