// The addresses of servers in what servers say: a client must read there how it reaches them over
// its own links, or it would leave those.
//
// Sentinels, nodes of a Cluster, and masters and replicas name each other by an address and a port:
// https://redis.io/docs/latest/develop/reference/sentinel-clients/,
// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/. Thread-safety: reads
// its arguments only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "faults/kit/resp.h"

namespace faults {

// Ports as servers name them, and as a client is to read them. All have five digits.
using ToldPorts = std::map<int, int>;

// May `message`, a reply to `command` or a push, name servers? Others may hold any text.
[[nodiscard]] bool may_tell_addresses(std::string_view command, const Message& message);

// Replaces the ports in `bytes`: a number that comes after the address of this machine, or after a
// word that ends with "port". Other numbers, such as an offset, may happen to be the same.
void translate_ports(std::string& bytes, const ToldPorts& ports);

}  // namespace faults
