// The TCP addresses of a world lead to the explorer's unix sockets, one for each port.
//
// Many clients know nothing but TCP. Of a unix socket the explorer knows at any moment what was
// written into it and not yet read.
//
// Calls nothing of the C library that needs a thread of its own: the shim (faults/explore/shim)
// uses it, too.
//
// Thread-safety: pure functions.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace explore {

// The port, if it is one of this machine's own (IPv4, or IPv6 in either form); otherwise 0.
[[nodiscard]] int loopback_port(const sockaddr* address);

// Replaces `descriptor`, which is about to be connected, by a unix socket with the same flags;
// `instead` is then the explorer's address for that port: `prefix`, the port and ".sock".
[[nodiscard]] bool becomes_unix(int descriptor, int port, const char* prefix, sockaddr_un& instead);

// Gives a unix socket that is about to be connected a name, by which the explorer learns its
// process and its descriptor there.
void name_socket(int descriptor, std::int32_t process);

}  // namespace explore
