#include "stage8_fencing/readmission.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/redis/server.h"
#include "core/waiting.h"
#include "stage8_fencing/scripts.h"

namespace stage8 {
namespace {

using Counters = std::map<std::string, long long>;

// Adds what `node` knows. Why not, if it cannot be asked, or is no member itself.
std::optional<std::string> collect(const core::Address& node, const std::string& marker,
                                   Counters& counters) {
  try {
    const auto found = core::Server(node).run(scripts::counters, {marker}, {"*:fencing"});
    for (std::size_t i = 0; i + 1 < found.parts(); i += 2) {
      auto& highest = counters[std::string(found.text(i))];
      highest = std::max(highest, found.integer(i + 1));
    }
    return std::nullopt;
  } catch (const core::ServerError& error) {
    return error.what();
  }
}

}  // namespace

bool readmit(stage7::Quorum& quorum, const core::Address& node,
             std::chrono::milliseconds longest_lease, const std::stop_token& stop) {
  quorum.must_have_marker();
  if (!core::pause_for(longest_lease, stop)) return false;
  Counters counters;
  std::size_t asked = 0;
  std::string why;
  for (const auto& other : quorum.nodes().addresses()) {
    if (other == node) continue;
    const auto failed = collect(other, quorum.marker(), counters);
    if (failed) why = ": " + *failed;
    if (!failed) ++asked;
  }
  // A majority that `node` was in has so many others that they and those cannot miss each other.
  const auto needed = quorum.nodes().count() - quorum.nodes().majority() + 1;
  if (asked < needed) {
    throw core::Unreachable(
        fmt::format("{} members know the counters, and it takes {}{}", asked, needed, why));
  }
  core::Server server(node);
  for (const auto& [counter, value] : counters) {
    server.run(scripts::raise_counter, {counter}, {std::to_string(value)});
  }
  return quorum.readmit(node, std::chrono::milliseconds(0), stop);
}

}  // namespace stage8
