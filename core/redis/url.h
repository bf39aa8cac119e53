// The address of a server as a URL:
//   redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]     the bytes travel as they are
//   rediss://...[?ca=FILE&cert=FILE&key=FILE&name=NAME]  with TLS (core/redis/access.h says what
//   they are)
// or that of a deployment in which the server is looked for (core/redis/discovery.h):
//   redis-sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]]…/MASTER[/DATABASE]
//   redis-cluster://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]]…
// and both with rediss- and its options. There the hosts are Sentinels, which are asked without a
// password, or nodes of the Cluster. Other clients have the same forms:
// https://redis.github.io/lettuce/user-guide/connecting-redis/
// In USER and PASSWORD, %41 is "A" (https://www.rfc-editor.org/rfc/rfc3986#section-2.1).
//
// Any thread may call these.
#pragma once

#include <string>
#include <string_view>

#include "core/redis/address.h"

namespace core {

[[nodiscard]] bool is_url(std::string_view text);

// Throws std::invalid_argument with a sentence that quotes `url` without its secrets.
[[nodiscard]] Address address_of_url(std::string_view url);

// Does it name a deployment? Then it may have commas in it.
[[nodiscard]] bool is_deployment_url(std::string_view text);

// The URL of an address with a discovery, without its access.
[[nodiscard]] std::string url_of(const Address& address);

// The same text with dots in place of all that precedes its last "@", if there is one.
[[nodiscard]] std::string without_secret(std::string_view text);

}  // namespace core
