// The address of a server as a URL:
//   redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]     the bytes travel as they are
//   rediss://...[?ca=FILE&cert=FILE&key=FILE&name=NAME]  with TLS (core/access.h says what they
//   are)
// In USER and PASSWORD, %41 is "A" (https://www.rfc-editor.org/rfc/rfc3986#section-2.1).
//
// Any thread may call these.
#pragma once

#include <string>
#include <string_view>

#include "core/address.h"

namespace core {

[[nodiscard]] bool is_url(std::string_view text);

// Throws std::invalid_argument with a sentence that quotes `url` without its secrets.
[[nodiscard]] Address address_of_url(std::string_view url);

// The same text with dots for all that stands before its last "@", if there is one.
[[nodiscard]] std::string without_secret(std::string_view text);

}  // namespace core
