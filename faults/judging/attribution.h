// Which client set, or removed, the lock on a single server: what a server announces does not say.
//
// The calls that are open at that moment tell it, and the commands that are under way: a client may
// go on asking after it has answered its call, and a server may do late what was sent long ago.
// Places are places in `Trace::record`. Thread-safety: reads its arguments only.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace faults {

struct ServerHold;
struct Trace;

// The client whose acquire set the lock that appeared at `place`; empty: it cannot be told.
[[nodiscard]] std::string find_setter(const Trace& trace, std::size_t place);

// The client that removed the lock of `hold`, whose owner, beginning and end are known; empty: none
// is known to have done it.
[[nodiscard]] std::string find_remover(const Trace& trace, const ServerHold& hold);

// The clients that may be removing a lock at `place` by what they were asked for: a release, an
// acquire that takes back what it may have set, the end of their work, an order to stop.
[[nodiscard]] std::set<std::string> find_removers(const Trace& trace, std::size_t place);

}  // namespace faults
