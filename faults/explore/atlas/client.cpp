// A lock of the atlas as a program of its own (docs/client-protocol.md): its arguments are its
// parts, such as `acquire=set token=yes release=script`.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "faults/client/program.h"
#include "faults/explore/atlas/lock.h"
#include "faults/explore/atlas/parts.h"

namespace atlas {
namespace {

std::vector<std::string> capabilities_of(const Parts& parts) {
  std::vector<std::string> words;
  const auto add = [&](bool has, const char* word) {
    if (has) words.emplace_back(word);
  };
  add(parts.has_lease(), "lease");
  add(parts.compares_on_release(), "token");
  add(parts.release == Release::script, "atomic_release");
  add(parts.renewal != Renewal::none, "renewal");
  add(parts.fencing, "fencing");
  return words;
}

int serve(const Parts& parts) {
  client::Identity identity{.stage = "atlas", .capabilities = capabilities_of(parts)};
  if (parts.release == Release::none) {
    identity.release_says = {{core::Release::released, "no_outcome"}};
  }
  std::shared_ptr<Renewer> renewer;
  return client::serve(
      identity, [&](core::Server& server, std::string key, const client::LeaseRequest& request) {
        const bool renews = parts.renewal != Renewal::none && request.renewed;
        if (renews && !renewer) {
          renewer = std::make_shared<Renewer>(server.address(), parts.renewal, request.lease);
        }
        return std::make_unique<Lock>(server, std::move(key), request.lease, parts,
                                      renews ? renewer : nullptr);
      });
}

}  // namespace
}  // namespace atlas

int main(int argc, char** argv) {
  try {
    return atlas::serve(atlas::parts_from({argv + 1, argv + argc}));
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
