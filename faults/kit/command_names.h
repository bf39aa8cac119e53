// Classifies a client's command by its name: what it does to the lock.
//
// Thread-safety: reads its arguments only.
#pragma once

#include <string>
#include <string_view>

#include "faults/kit/resp.h"

namespace faults {

[[nodiscard]] std::string in_capitals(std::string text);

// The command's name, in capitals; "BYTES" if the message is not RESP.
[[nodiscard]] std::string command_name(const Message& command);

// Is it a command by which a client library sets up a connection, and no step of a lock? It is
// passed on, and neither counted nor a boundary for a fault.
[[nodiscard]] bool sets_up_connection(std::string_view command);

// May it read or write a key? One that cannot, such as PING, SUBSCRIBE or SCRIPT LOAD, may be a
// step of an operation, and is no try to get the lock and no renewal.
[[nodiscard]] bool may_use_keys(std::string_view command);

// Does it keep its client waiting until another client does something, such as BLPOP?
// (https://redis.io/docs/latest/commands/blpop/)
[[nodiscard]] bool blocks(std::string_view command);

// The command for people: its name, or the label of its script.
[[nodiscard]] std::string command_label(const Message& command);

// The digest by which a server knows a script, and a part of it for people: "script 1f93a0c"
// (https://redis.io/docs/latest/commands/evalsha/).
[[nodiscard]] std::string script_digest(std::string_view text);
[[nodiscard]] std::string script_label(std::string digest);
// The digest of the script that the command runs; empty: it runs none.
[[nodiscard]] std::string digest_in(const Message& command);
// The script that the command tells the server, by EVAL or by SCRIPT LOAD; null: none.
[[nodiscard]] const std::string* script_in(const Message& command);

}  // namespace faults
