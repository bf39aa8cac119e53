// The TCP addresses of a world lead to the explorer's unix sockets, one for each port.
//
// Many clients know nothing but TCP; and of a unix socket the explorer knows at any moment what was
// written into it and not yet read. Thread-safety: safe to share.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

namespace explore {

// Is that an address of the world? Then puts a unix socket in the place of `descriptor`, which is
// about to be connected, and its address into `instead`.
[[nodiscard]] bool becomes_unix(int descriptor, const sockaddr* address, sockaddr_un& instead);

}  // namespace explore
