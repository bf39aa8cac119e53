#include "faults/parts/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <cctype>
#include <deque>
#include <exception>
#include <list>
#include <map>

#include "faults/errors.h"
#include "faults/parts/accepting.h"
#include "faults/parts/resp.h"

namespace faults {
namespace {

using asio::awaitable;
using asio::use_awaitable;
using Socket = asio::generic::stream_protocol::socket;
using std::chrono::milliseconds;

asio::generic::stream_protocol::endpoint endpoint_of(const core::Address& address) {
  if (!address.unix_path.empty()) return asio::local::stream_protocol::endpoint(address.unix_path);
  return asio::ip::tcp::endpoint(asio::ip::make_address(address.host),
                                 static_cast<asio::ip::port_type>(address.port));
}

// When a timer expires that is there to be cancelled.
constexpr auto never_by_itself = asio::steady_timer::time_point::max();

// Keeps a coroutine waiting until somebody cancels `timer`, which expires `never_by_itself`.
awaitable<void> wait_for_cancel(asio::steady_timer& timer) {
  asio::error_code cancelled;
  co_await timer.async_wait(asio::redirect_error(use_awaitable, cancelled));
}

// What a subscriber is told; it answers no command of his.
bool is_push(const Message& message) {
  return message.words.size() == 3 && message.words.front() == "message";
}

// Two sockets of ours may have the same port: see `LinkState::keeper_`. (The kernel gives no port
// that is taken to one who leaves the choice to it: socket(7), SO_REUSEPORT.)
void bind_to(asio::ip::tcp::acceptor& acceptor, asio::ip::port_type port) {
  const asio::ip::tcp::endpoint here(asio::ip::make_address("127.0.0.1"), port);
  acceptor.open(here.protocol());
  acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
  acceptor.bind(here);
}

void listen_on(asio::ip::tcp::acceptor& acceptor, asio::ip::port_type port) {
  bind_to(acceptor, port);
  acceptor.listen();
}

CannotRun cannot_listen(const std::system_error& error) {
  return CannotRun(fmt::format("cannot listen on 127.0.0.1: {}", error.what()));
}

std::string upper(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

// One armed fault as the loop sees it.
class ArmedFault {
 public:
  ArmedFault(asio::io_context& context, Where where, Action action, milliseconds delay)
      : where_(std::move(where)), action_(action), delay_(delay), gate_(context, never_by_itself) {}

  // True if this is the boundary it is for. Counts the ones before it.
  [[nodiscard]] bool claims(const Boundary& boundary) {
    if (disarmed_ || boundary.direction != where_.direction) return false;
    if (!where_.command.empty() && boundary.command != where_.command) return false;
    return ++seen_ == where_.nth;
  }

  [[nodiscard]] Action action() const { return action_; }
  [[nodiscard]] milliseconds delay() const { return delay_; }
  [[nodiscard]] const Where& where() const { return where_; }

  // Keeps a coroutine waiting until `open_gate`.
  [[nodiscard]] awaitable<void> wait_at_gate() {
    while (!open_) co_await wait_for_cancel(gate_);
  }

  void open_gate() {
    open_ = true;
    gate_.cancel();
  }

  void disarm() {
    disarmed_ = true;
    open_gate();
  }

  // A story came to its end, and what it held was never let go on.
  void note_if_still_held() { forgotten_ = still_held != nullptr; }
  [[nodiscard]] bool is_forgotten() const { return forgotten_; }

  Once fired;
  Once passed;                       // what was held is on its way
  std::function<bool()> still_held;  // set while something is held
  std::function<bool()> is_lost;     // set when something was swallowed

 private:
  const Where where_;
  const Action action_;
  const milliseconds delay_;
  int seen_ = 0;
  bool disarmed_ = false;
  bool forgotten_ = false;
  bool open_ = false;
  asio::steady_timer gate_;
};

namespace {

// A message on a wire that has a length.
struct Travelling {
  std::chrono::steady_clock::time_point due;
  Message message;
};

// One direction of one connection. `arrived` and `sent` are what tells a held message from one that
// slipped through.
struct Half {
  Socket& from;
  Socket& to;
  RespReader reader;
  int arrived = 0;
  int sent = 0;
  bool blackholed = false;
  std::deque<Travelling> travelling;
  bool moving = false;  // somebody takes care of `travelling`
  // Cancelled when nobody has to any more.
  asio::steady_timer all_arrived{to.get_executor(), never_by_itself};
};

struct Connection {
  Connection(Socket client_socket, Socket server_socket)
      : client(std::move(client_socket)),
        server(std::move(server_socket)),
        commands{client, server, {}},
        replies{server, client, {}} {}

  [[nodiscard]] Half& half(Direction direction) {
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

  Socket client;
  Socket server;
  Half commands;
  Half replies;
  bool replicates = false;             // it carries the stream of changes to a replica
  std::deque<std::string> unanswered;  // names of commands whose reply has not come yet
};

}  // namespace

class LinkState {
 public:
  LinkState(Loop& its_loop, History& history, std::string client, std::string server,
            core::Address target, Link::Notes notes)
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

  [[nodiscard]] int port() const { return port_; }

  // Static, with its owner as argument: a coroutine outlives the call that started it.
  [[nodiscard]] static awaitable<void> accept(std::shared_ptr<LinkState> link) {
    for (;;) {
      asio::error_code failed;
      auto client =
          co_await link->acceptor_.async_accept(asio::redirect_error(use_awaitable, failed));
      if (failed) {
        if (!co_await may_accept_again(link->acceptor_, failed)) co_return;
        continue;
      }
      client.set_option(asio::ip::tcp::no_delay(true), failed);
      Socket server(link->loop.context());
      asio::error_code refused;
      co_await server.async_connect(link->target_, asio::redirect_error(use_awaitable, refused));
      if (!link->acceptor_.is_open()) co_return;  // closed meanwhile: the sockets go with us
      if (refused) continue;                      // the client sees its connection closed
      auto connection = std::make_shared<Connection>(Socket(std::move(client)), std::move(server));
      std::erase_if(link->connections_, [](const auto& old) { return old.expired(); });
      link->connections_.push_back(connection);
      for (const auto direction : {Direction::command, Direction::reply}) {
        co_spawn(link->loop.context(), pump(link, connection, direction), asio::detached);
      }
    }
  }

  void close() {
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

  // The port stays ours, and nobody listens: the kernel refuses whoever comes.
  void shut() {
    asio::error_code ignored;
    acceptor_.close(ignored);
  }

  void open() { listen_on(acceptor_, port_); }

  void arm(std::shared_ptr<ArmedFault> fault) { armed_.push_back(std::move(fault)); }
  void disarm(const std::shared_ptr<ArmedFault>& fault) {
    fault->disarm();
    armed_.remove(fault);
  }
  void tell(std::string_view what, const Boundary& boundary) {
    const auto* side = boundary.direction == Direction::command ? "command" : "reply";
    history_.add(boundary.client, Kind::fault,
                 {{"what", what},
                  {"side", side},
                  {"command", boundary.command},
                  {"server", boundary.server},
                  {"text", boundary.text}});
  }

  void decide_by(std::function<Action(const Boundary&)> decide) {
    decide_ = std::move(decide);
    decided_anew_.cancel();
  }

  Loop& loop;
  std::vector<std::string> commands_seen;
  std::map<Direction, Link::Whose> cut_off;  // what the network swallows
  std::chrono::microseconds latency{0};

  [[nodiscard]] bool all_answered() const {
    return std::all_of(connections_.begin(), connections_.end(), [](const auto& old) {
      const auto connection = old.lock();
      return !connection || connection->unanswered.empty();
    });
  }

  void tell_of_cut(Direction direction) {
    history_.add(client_, Kind::fault,
                 {{"what", fault::cut_off},
                  {"side", direction == Direction::command ? "command" : "reply"},
                  {"server", server_}});
  }

  void lead_to(const core::Address& server) {
    target_ = endpoint_of(server);
    target_text_ = server.text();
    for (auto& old : connections_) {
      if (const auto connection = old.lock()) connection->reset();
    }
  }

 private:
  // Passes one direction on until a side hangs up. Static, with owners as arguments: a coroutine
  // outlives the call that started it.
  static awaitable<void> pump(std::shared_ptr<LinkState> link,
                              std::shared_ptr<Connection> connection, Direction direction) {
    auto& half = connection->half(direction);
    std::array<char, 16384> bytes{};
    try {
      for (;;) {
        const auto count = co_await half.from.async_read_some(asio::buffer(bytes), use_awaitable);
        half.reader.feed({bytes.data(), count});
        while (auto message = half.reader.next()) {
          if (link->latency.count() > 0 || half.moving) {
            send_off(link, connection, direction, std::move(*message));
          } else {
            co_await link->pass(connection, direction, std::move(*message));
          }
        }
      }
    } catch (const std::system_error&) {  // this side is gone
    }
    while (half.moving) co_await wait_for_cancel(half.all_arrived);
    // The other is told, after everything that came before, be it half a message.
    asio::error_code ignored;
    if (!half.blackholed) {
      co_await asio::async_write(half.to, asio::buffer(half.reader.rest()),
                                 asio::redirect_error(use_awaitable, ignored));
    }
    half.to.shutdown(asio::socket_base::shutdown_send, ignored);
  }

  static void send_off(const std::shared_ptr<LinkState>& link,
                       const std::shared_ptr<Connection>& connection, Direction direction,
                       Message message) {
    auto& half = connection->half(direction);
    half.travelling.push_back(
        {.due = std::chrono::steady_clock::now() + link->latency, .message = std::move(message)});
    if (half.moving) return;
    half.moving = true;
    co_spawn(link->loop.context(), travel(link, connection, direction), asio::detached);
  }

  // Has each message arrive when it is due, until none is under way.
  static awaitable<void> travel(std::shared_ptr<LinkState> link,
                                std::shared_ptr<Connection> connection, Direction direction) {
    auto& half = connection->half(direction);
    asio::steady_timer timer(link->loop.context());
    try {
      while (!half.travelling.empty()) {
        auto next = std::move(half.travelling.front());
        half.travelling.pop_front();
        timer.expires_at(next.due);
        if (next.due > std::chrono::steady_clock::now()) co_await timer.async_wait(use_awaitable);
        co_await link->pass(connection, direction, std::move(next.message));
      }
    } catch (const std::system_error&) {  // the connection ends here, as `pump` will see
      half.travelling.clear();
    }
    half.moving = false;
    half.all_arrived.cancel();
  }

  [[nodiscard]] awaitable<void> hear_announcements() {
    const auto found = loop.announced.find(target_text_);
    if (found == loop.announced.end()) co_return;
    const auto all_heard = found->second;  // a copy: the server may go meanwhile
    co_await all_heard();
  }

  // One message at its boundary. Throws std::system_error when the connection ends here.
  [[nodiscard]] awaitable<void> pass(const std::shared_ptr<Connection>& owner, Direction direction,
                                     Message message) {
    auto& connection = *owner;
    auto& half = connection.half(direction);
    if (direction == Direction::reply) co_await hear_announcements();
    const int place = ++half.arrived;
    const bool vanishes = half.blackholed || is_cut_off(connection, direction);
    const auto boundary = note(connection, direction, message, vanishes);
    if (vanishes) co_return;
    const auto fault = claimant(boundary);
    const auto action = fault ? fault->action() : co_await decision(boundary);
    switch (action) {
      case Action::forward: break;
      case Action::hold:
        if (fault) co_await hold(*fault, half, place, boundary);
        break;
      case Action::delay:
        if (fault) co_await delay(*fault, boundary);
        break;
      case Action::drop: tell(fault::dropped, boundary); break;
      case Action::blackhole:
        half.blackholed = true;
        tell(fault::blackholed, boundary);
        break;
      case Action::reset:
        tell(fault::reset, boundary);
        if (fault) fault->fired.happen();  // before the client can notice
        connection.reset();
        break;
    }
    if (fault && action != Action::hold) {
      fault->is_lost = loss_of(owner, direction, action);
      fault->fired.happen();
    }
    if (action == Action::reset) throw std::system_error(asio::error::connection_reset);
    if (action == Action::drop || action == Action::blackhole) {
      // No reply will come to a command that never arrived.
      if (direction == Direction::command) connection.unanswered.pop_back();
      co_return;
    }
    ++half.sent;
    if (is_cut_off(connection, direction)) {
      history_.add("", Kind::not_exercised,
                   {{"why", "a message went through a link that was cut off"}});
    }
    asio::error_code gone;  // the other side may have died meanwhile
    co_await asio::async_write(half.to, asio::buffer(message.bytes),
                               asio::redirect_error(use_awaitable, gone));
    if (fault) fault->passed.happen();
    if (gone) throw std::system_error(gone);
  }

  [[nodiscard]] bool is_cut_off(const Connection& connection, Direction direction) const {
    const auto found = cut_off.find(direction);
    return found != cut_off.end() &&
           (found->second == Link::Whose::everybodys || connection.replicates);
  }

  [[nodiscard]] awaitable<void> hold(ArmedFault& fault, const Half& half, int place,
                                     const Boundary& boundary) {
    tell(fault::held, boundary);
    fault.still_held = [&half, place] { return half.sent < place && half.arrived == place; };
    fault.fired.happen();
    co_await fault.wait_at_gate();
    fault.still_held = nullptr;
    tell(fault::delivered, boundary);
    if (fault.is_forgotten()) {
      history_.add("", Kind::not_exercised,
                   {{"why", fmt::format("{} was held to the story's end", boundary.command)}});
    }
  }

  // Looks whether a message that was to be swallowed really was: fewer have left than have come,
  // and a connection that was to break is no more.
  [[nodiscard]] static std::function<bool()> loss_of(const std::shared_ptr<Connection>& owner,
                                                     Direction direction, Action action) {
    if (action == Action::forward || action == Action::delay) return {};
    return [watched = std::weak_ptr(owner), direction, action] {
      const auto connection = watched.lock();
      if (!connection) return true;
      const auto& half = connection->half(direction);
      const bool open = connection->client.is_open() || connection->server.is_open();
      return half.sent < half.arrived && !(action == Action::reset && open) &&
             (action != Action::blackhole || half.blackholed);
    };
  }

  // What `decide` wants. While that is to hold, waits until somebody else decides.
  [[nodiscard]] awaitable<Action> decision(const Boundary& boundary) {
    auto action = decide_ ? decide_(boundary) : Action::forward;
    if (action != Action::hold) co_return action;
    tell(fault::held, boundary);
    while (action == Action::hold) {
      co_await wait_for_cancel(decided_anew_);
      action = decide_ ? decide_(boundary) : Action::forward;
    }
    tell(fault::delivered, boundary);
    co_return action;
  }

  [[nodiscard]] awaitable<void> delay(ArmedFault& fault, const Boundary& boundary) {
    tell(fault::delayed, boundary);
    asio::steady_timer timer(loop.context(), fault.delay());
    co_await timer.async_wait(use_awaitable);
  }

  // Writes the message into the history, and says what boundary it stands at.
  [[nodiscard]] Boundary note(Connection& connection, Direction direction, const Message& message,
                              bool vanishes) {
    Boundary boundary{.client = client_,
                      .server = server_,
                      .direction = direction,
                      .command = {},
                      .text = takes_notes() || !armed_.empty() || decide_ ? message.text() : ""};
    if (direction == Direction::command) {
      boundary.command = message.words.empty() ? "?" : upper(message.words.front());
      if (boundary.command == "PSYNC") connection.replicates = true;
      connection.unanswered.push_back(boundary.command);
      commands_seen.push_back(boundary.command);
      if (takes_notes()) {
        write(Kind::command, {{"to", server_}, {"text", boundary.text}}, vanishes);
      }
    } else {
      if (is_push(message)) {
        boundary.command = message.words.front();
      } else if (!connection.unanswered.empty()) {
        boundary.command = connection.unanswered.front();
        connection.unanswered.pop_front();
      }
      if (takes_notes()) {
        write(Kind::reply,
              {{"from", server_}, {"command", boundary.command}, {"text", boundary.text}},
              vanishes);
      }
    }
    return boundary;
  }

  void write(Kind kind, nlohmann::json message, bool vanishes) {
    if (vanishes) message["vanished"] = true;
    history_.add(client_, kind, std::move(message));
  }

  [[nodiscard]] bool takes_notes() const { return notes_ == Link::Notes::every_message; }

  [[nodiscard]] std::shared_ptr<ArmedFault> claimant(const Boundary& boundary) {
    std::shared_ptr<ArmedFault> first;
    for (const auto& fault : armed_) {  // every one counts; the first that was armed gets it
      if (fault->claims(boundary) && !first) first = fault;
    }
    return first;
  }

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
  asio::steady_timer decided_anew_;  // cancelled when `decide_` changes
  std::vector<std::weak_ptr<Connection>> connections_;
  std::list<std::shared_ptr<ArmedFault>> armed_;
};

Fault::Fault(std::shared_ptr<LinkState> link, std::shared_ptr<ArmedFault> armed)
    : link_(std::move(link)), armed_(std::move(armed)) {}

Fault::~Fault() {
  if (!armed_) return;
  const bool unwinding = std::uncaught_exceptions() > 0;
  link_->loop.call([this, unwinding] {
    if (!unwinding) armed_->note_if_still_held();
    link_->disarm(armed_);
  });
}

bool Fault::fired() const {
  return armed_->fired.happened();
}

void Fault::await(milliseconds limit, const std::function<bool()>& gave_up) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!armed_->fired.wait(milliseconds(2))) {
    const bool too_late = std::chrono::steady_clock::now() > deadline;
    if (!too_late && !(gave_up && gave_up())) continue;
    if (fired()) break;
    const auto& where = armed_->where();
    throw NotExercised(
        fmt::format("waited for {} number {}{}, and it never came: the fault did not happen",
                    where.direction == Direction::command ? "command" : "reply", where.nth,
                    where.command.empty() ? "" : " of " + where.command));
  }
  if (link_->loop.call([this] { return armed_->is_lost && !armed_->is_lost(); })) {
    throw NotExercised("a message that should have been lost at its boundary went through");
  }
}

void Fault::deliver() {
  link_->loop.call([this] {
    if (!armed_->still_held || !armed_->still_held()) {
      throw NotExercised("a message that should have been held at its boundary went through");
    }
    armed_->open_gate();
  });
  if (!armed_->passed.wait(standstill)) {
    throw Stalled(fmt::format("a held message did not go on its way within {} s",
                              standstill / std::chrono::seconds(1)));
  }
}

Link::Link(Loop& loop, History& history, std::string client_name, std::string server_name,
           core::Address server, Notes notes) {
  try {
    state_ = std::make_shared<LinkState>(loop, history, std::move(client_name),
                                         std::move(server_name), std::move(server), notes);
  } catch (const std::system_error& error) {
    throw cannot_listen(error);
  }
  co_spawn(loop.context(), LinkState::accept(state_), asio::detached);
}

Link::~Link() {
  state_->loop.call([this] { state_->close(); });
}

core::Address Link::address() const {
  return {.host = "127.0.0.1", .port = state_->port(), .unix_path = {}};
}

Fault Link::arm(Where where, Action action, milliseconds delay) {
  auto armed =
      std::make_shared<ArmedFault>(state_->loop.context(), std::move(where), action, delay);
  state_->loop.call([&] { state_->arm(armed); });
  return {state_, armed};
}

void Link::decide_by(std::function<Action(const Boundary&)> decide) {
  state_->loop.call([&] { state_->decide_by(std::move(decide)); });
}

bool Link::all_answered() const {
  return state_->loop.call([this] { return state_->all_answered(); });
}

void Link::cut_off(Direction direction, Whose whose) {
  state_->loop.call([&] {
    state_->cut_off[direction] = whose;
    state_->tell_of_cut(direction);
  });
}

void Link::set_latency(std::chrono::microseconds each_way) {
  state_->loop.call([&] { state_->latency = each_way; });
}

void Link::shut() {
  state_->loop.call([this] { state_->shut(); });
}

void Link::open() {
  try {
    state_->loop.call([this] { state_->open(); });
  } catch (const std::system_error& error) {
    throw cannot_listen(error);
  }
  co_spawn(state_->loop.context(), LinkState::accept(state_), asio::detached);
}

void Link::lead_to(core::Address server) {
  state_->loop.call([&] { state_->lead_to(server); });
}

std::size_t Link::count_commands() const {
  return state_->loop.call([this] { return state_->commands_seen.size(); });
}

std::vector<std::string> Link::commands_seen() const {
  return state_->loop.call([this] { return state_->commands_seen; });
}

}  // namespace faults
