#include "faults/testing/kit_test.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/deadline.h"
#include "core/testing/eventually.h"

namespace faults {
namespace {

// True if `descriptor` can be read before `limit` is over.
bool readable(int descriptor, std::chrono::milliseconds limit) {
  constexpr int step_ms = 50;
  pollfd source{.fd = descriptor, .events = POLLIN, .revents = 0};
  for (core::Deadline deadline(limit); !deadline.is_over();) {
    if (poll(&source, 1, step_ms) > 0) return true;
  }
  return false;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Descriptor connected_to(const core::Address& address) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto where = loopback(address.port);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    throw std::runtime_error("cannot connect to " + address.text());
  }
  return socket;
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  core::Deadline deadline(core::condition_limit);
  while (!condition()) {
    if (deadline.is_over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::string resp(const std::vector<std::string>& words) {
  auto text = fmt::format("*{}\r\n", words.size());
  for (const auto& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (auto& c : text) c = static_cast<char>(random() & 0xFFU);
  return text;
}

Wire::Wire(const core::Address& address) : Wire(connected_to(address)) {}

Wire::Wire(Descriptor socket) : socket_(std::move(socket)) {
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void Wire::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("the other side does not take what is sent");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Wire::read(std::size_t count) const {
  std::string text(count, '\0');
  std::size_t got = 0;
  while (got < count && readable(socket_.get(), test_limit)) {
    const auto more = recv(socket_.get(), text.data() + got, count - got, 0);
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  text.resize(got);
  return text;
}

std::string Wire::read_to_the_end() const {
  std::string text;
  std::string part;
  do {
    part = read(1 << 16);
    text += part;
  } while (part.size() == 1 << 16);
  if (ending() == "open") throw std::runtime_error("the other side does not hang up");
  return text;
}

std::string Wire::read_to_the_end_of(std::string_view last) const {
  std::string text;
  while (!text.ends_with(last)) {
    const auto byte = read(1);
    if (byte.empty()) break;
    text += byte;
  }
  return text;
}

bool Wire::has_bytes() const {
  char byte = 0;
  return recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

std::string Wire::ending() const {
  char byte = 0;
  if (!readable(socket_.get(), test_limit)) return "open";
  const auto got = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return "open";
  return got == 0 ? "closed" : "reset";
}

Listener::Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto where = loopback(0);
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
      listen(socket_.get(), 16) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
}

core::Address Listener::address() const {
  sockaddr_in where{};
  socklen_t size = sizeof where;
  getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&where), &size);
  return {.host = "127.0.0.1", .port = ntohs(where.sin_port), .unix_path = {}};
}

Wire Listener::accept() const {
  if (!readable(socket_.get(), test_limit)) throw std::runtime_error("nobody connected");
  return Wire(Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
}

Command KitTest::shell(const std::string& script) const {
  return {.program = "/bin/sh",
          .arguments = {"sh", "-c", script},
          .environment = {},
          .log = directory.path() / "shell.log"};
}

std::string output_of(Process& process) {
  std::string text;
  for (auto line = line_from(process); !line.empty(); line = line_from(process)) text += line;
  return text;
}

std::string line_from(Process& process) {
  std::string line;
  char byte = 0;
  while (readable(process.output().get(), test_limit)) {
    if (read(process.output().get(), &byte, 1) != 1) break;
    line += byte;
    if (byte == '\n') break;
  }
  return line;
}

void write_line(Process& process, const std::string& line) {
  const auto text = line + "\n";
  if (write(process.input().get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the process does not read");
  }
}

bool is_gone(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(") ");
  return name_end == std::string::npos || stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X';
}

std::vector<std::string> events_of(Kind kind, const Record& record) {
  std::vector<std::string> found;
  for (const auto& event : record) {
    if (event.kind != kind) continue;
    const auto what = event.text("what");
    found.push_back(event.process + " " + (what.empty() ? event.text("text") : what));
  }
  return found;
}

}  // namespace faults
