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

// The client whose acquire set the lock that appeared at `place`; empty: it cannot be known.
[[nodiscard]] std::string find_setter(const Trace& trace, std::size_t place);

// All clients that may have set the lock of `hold`: one alone is surely the one. A client cannot
// have done it by a command that is stopped on its way, or was refused, or has done its work
// before.
[[nodiscard]] std::set<std::string> possible_setters(const Trace& trace, const ServerHold& hold);

// The client that removed the lock of `hold`, whose owner, beginning and end are known; empty: none
// is known to have done it. `done` has the places of commands that have removed a lock before: one
// command does not account for two removals. The one that did it now is added.
[[nodiscard]] std::string find_remover(const Trace& trace, const ServerHold& hold,
                                       std::set<std::size_t>& done);

// The clients that may be removing a lock at `place` by what they were asked for: a release, an
// acquire that takes back what it may have set, the end of their work, an order to stop.
[[nodiscard]] std::set<std::string> find_removers(const Trace& trace, std::size_t place);

}  // namespace faults
