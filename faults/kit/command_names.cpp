#include "faults/kit/command_names.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace faults {
namespace {

constexpr std::array<std::string_view, 13> setting_up{
    "HELLO",     "AUTH",     "SELECT", "CLIENT",  "INFO",   "COMMAND", "READONLY",
    "READWRITE", "SENTINEL", "ROLE",   "CLUSTER", "ASKING", "QUIT"};

constexpr std::array<std::string_view, 20> without_keys{
    "PING",         "ECHO",         "TIME",        "RESET",   "SCRIPT",  "FUNCTION", "SUBSCRIBE",
    "PSUBSCRIBE",   "SSUBSCRIBE",   "UNSUBSCRIBE", "PUBSUB",  "PUBLISH", "SPUBLISH", "MULTI",
    "PUNSUBSCRIBE", "SUNSUBSCRIBE", "UNWATCH",     "DISCARD", "CONFIG",  "ACL"};

constexpr std::array<std::string_view, 8> blocking{"BLPOP",  "BRPOP",    "BRPOPLPUSH", "BLMOVE",
                                                   "BLMPOP", "BZPOPMIN", "BZPOPMAX",   "BZMPOP"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view command) {
  return std::find(names.begin(), names.end(), command) != names.end();
}

}  // namespace

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string command_name(const Message& command) {
  return command.words.empty() ? "BYTES" : in_capitals(command.words.front());
}

bool sets_up_connection(std::string_view command) {
  return is_one_of(setting_up, command);
}

bool may_use_keys(std::string_view command) {
  return !sets_up_connection(command) && !is_one_of(without_keys, command);
}

bool blocks(std::string_view command) {
  return is_one_of(blocking, command);
}

std::string command_label(const Message& command) {
  auto digest = digest_in(command);
  return digest.empty() ? command_name(command) : script_label(std::move(digest));
}

std::string script_digest(std::string_view text) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hex;
  for (const auto byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string script_label(std::string digest) {
  constexpr std::size_t enough = 7;  // to distinguish a lock's scripts
  return "script " + std::move(digest).substr(0, enough);
}

std::string digest_in(const Message& command) {
  const auto& words = command.words;
  if (words.size() < 2) return {};
  const auto name = command_name(command);
  if (!name.starts_with("EVALSHA")) return name.starts_with("EVAL") ? script_digest(words[1]) : "";
  auto digest = words[1];
  std::transform(digest.begin(), digest.end(), digest.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return digest;
}

const std::string* script_in(const Message& command) {
  const auto& words = command.words;
  const auto name = command_name(command);
  if ((name == "EVAL" || name == "EVAL_RO") && words.size() > 1) return &words[1];
  const bool loads = name == "SCRIPT" && words.size() == 3 && in_capitals(words[1]) == "LOAD";
  return loads ? &words[2] : nullptr;
}

}  // namespace faults
