#include "stage7_redlock/operating.h"

#include <algorithm>

#include "stage6_reentrant/scripts.h"
#include "stage7_redlock/votes.h"

namespace stage7 {

std::optional<Holder> holder_of(Quorum& quorum, const std::string& key) {
  const auto knows = [](const Vote& vote) { return vote.reply && vote.reply->parts() > 0; };
  const auto votes = quorum.connections()->ask(
      stage6::scripts::holder, {key}, {},
      [&](const Votes& heard) { return std::any_of(heard.begin(), heard.end(), knows); });
  const auto found = std::find_if(votes.begin(), votes.end(), knows);
  return found == votes.end() ? std::nullopt : holder_from(*found->reply);
}

bool remove(Quorum& quorum, const std::string& key, const std::string& channel) {
  const auto votes =
      quorum.connections()->ask(stage6::scripts::remove, {key}, {channel}, [](const Votes& heard) {
        return count(heard, [](const Vote& vote) { return vote.is_open(); }) == 0;
      });
  return removal_of(quorum.nodes(), votes);
}

}  // namespace stage7
