// The accounts of a storage: what it answers to a command, and what it saw (storage.h).
//
// Thread-safety: none; one thread.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/fence.h"

namespace faults {

class Accounts {
 public:
  // Hears of each command: whose it was, and what a history says of it.
  using Saw = std::function<void(const std::string& client, nlohmann::json seen)>;

  Accounts(Fence fence, Saw saw) : fence_(fence), saw_(std::move(saw)) {}

  // Carries out a command; returns the reply as it is sent.
  [[nodiscard]] std::string answer(const std::vector<std::string>& words);

  // All that later answers depend on, by account.
  [[nodiscard]] std::map<std::string, std::string> contents() const;

 private:
  // One command, its words taken apart.
  struct Request {
    std::string account;
    std::string client;
    std::string value;  // of a WRITE
    std::optional<long> token;
  };

  // The value of one account, and the highest token that it has seen.
  struct Account {
    long value = 0;
    std::optional<long> fence;
  };

  [[nodiscard]] std::string read(const Request& request);
  [[nodiscard]] std::string begin(const Request& request);
  [[nodiscard]] std::string write(const Request& request);
  // Is `request` from no earlier holder than the latest that the account has seen? Remembers it.
  [[nodiscard]] static bool lets_in(Account& account, const Request& request);
  [[nodiscard]] static std::string refusal(const Account& account, const Request& request);
  void note(const char* what, const Request& request, nlohmann::json data) const;

  const Fence fence_;
  const Saw saw_;
  std::map<std::string, Account> accounts_;
};

}  // namespace faults
