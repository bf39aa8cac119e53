#include "faults/kit/accounts.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "faults/kit/command_names.h"

namespace faults {
namespace {

std::optional<long> integer_in(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A client library's first words on a connection, as a server has them that knows both versions of
// the protocol (https://redis.io/docs/latest/commands/hello/). Empty: they are none of those.
std::string greet(const std::vector<std::string>& words) {
  const auto name = words.empty() ? std::string{} : in_capitals(words.front());
  if (name == "CLIENT" || name == "SELECT") return "+OK\r\n";
  if (name == "PING") return "+PONG\r\n";
  if (name != "HELLO") return {};
  const std::string version = words.size() > 1 ? words[1] : "2";
  if (version != "2" && version != "3") return "-NOPROTO unsupported protocol version\r\n";
  return fmt::format("{}$6\r\nserver\r\n$7\r\nstorage\r\n$5\r\nproto\r\n:{}\r\n",
                     version == "3" ? "%2\r\n" : "*4\r\n", version);
}

}  // namespace

std::string Accounts::answer(const std::vector<std::string>& words) {
  if (auto greeting = greet(words); !greeting.empty()) return greeting;
  const auto operation = words.empty() ? std::string{} : words.front();
  const std::size_t fixed = operation == "WRITE" ? 4 : 3;  // words without a token
  const bool known = operation == "READ" || operation == "BEGIN" || operation == "WRITE";
  if (!known || words.size() < fixed || words.size() > fixed + 1) {
    return "-ERR use READ account client [token], BEGIN account client [token], "
           "WRITE account client value [token]\r\n";
  }
  Request request{.account = words[1], .client = words[2], .value = {}, .token = {}};
  if (operation == "WRITE") request.value = words[3];
  if (words.size() > fixed) {
    request.token = integer_in(words[fixed]);
    if (!request.token) return "-ERR a token is an integer\r\n";
  }
  if (operation == "READ") return read(request);
  return operation == "BEGIN" ? begin(request) : write(request);
}

std::map<std::string, std::string> Accounts::contents() const {
  std::map<std::string, std::string> contents;
  for (const auto& [name, account] : accounts_) {
    contents[name] = fmt::format("{}, fenced at {}", account.value,
                                 account.fence ? std::to_string(*account.fence) : "none");
  }
  return contents;
}

std::string Accounts::read(const Request& request) {
  auto& account = accounts_[request.account];
  const bool accepted = fence_ == Fence::writes_only || lets_in(account, request);
  note("read", request, {{"value", account.value}, {"accepted", accepted}});
  return accepted ? fmt::format(":{}\r\n", account.value) : refusal(account, request);
}

std::string Accounts::begin(const Request& request) {
  note("begin", request, nlohmann::json::object());
  return "+OK\r\n";
}

std::string Accounts::write(const Request& request) {
  const auto value = integer_in(request.value);
  if (!value) return "-ERR a value is an integer\r\n";
  auto& account = accounts_[request.account];
  const bool accepted = lets_in(account, request);
  if (accepted) account.value = *value;
  note("write", request, {{"value", *value}, {"accepted", accepted}});
  return accepted ? "+OK\r\n" : refusal(account, request);
}

bool Accounts::lets_in(Account& account, const Request& request) {
  if (!request.token) return true;
  if (account.fence && *request.token < *account.fence) return false;
  account.fence = request.token;
  return true;
}

std::string Accounts::refusal(const Account& account, const Request& request) {
  return fmt::format("-FENCED token {} is older than {}\r\n", *request.token, *account.fence);
}

void Accounts::note(const char* what, const Request& request, nlohmann::json data) const {
  data["what"] = what;
  data["account"] = request.account;
  if (request.token) data["token"] = *request.token;
  saw_(request.client, std::move(data));
}

}  // namespace faults
