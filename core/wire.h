// A command as it goes over the wire: an array of strings, each with its length before it, so that
// it may hold any byte (https://redis.io/docs/latest/develop/reference/protocol-spec/).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace core {

// Puts the command that consists of `words` into `bytes`, in place of what is there. A `bytes` that
// is used again costs no memory: hiredis's own formatting, which gets some each time, takes about
// three times as long.
void put_command(std::string& bytes, std::span<const std::string_view> words);

}  // namespace core
