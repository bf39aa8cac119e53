// The TCP addresses of a world lead to the explorer's unix sockets, one for each port.
//
// Many clients know nothing but TCP. Of a unix socket the explorer knows at any moment what was
// written into it and not yet read.
//
// Thread-safety: safe to share.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

namespace explore {

// False: that is no address of the world. Otherwise `descriptor`, which is about to be connected,
// is replaced by a unix socket, and `instead` is its address.
[[nodiscard]] bool becomes_unix(int descriptor, const sockaddr* address, sockaddr_un& instead);

}  // namespace explore
