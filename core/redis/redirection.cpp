#include "core/redis/redirection.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace core {

bool says_away(std::string_view error) {
  constexpr std::array<std::string_view, 3> codes{"MASTERDOWN ", "CLUSTERDOWN ", "LOADING "};
  return std::any_of(codes.begin(), codes.end(),
                     [error](std::string_view code) { return error.starts_with(code); });
}

std::optional<Redirection> Redirection::in(const Reply& reply) {
  if (!reply.is_error()) return std::nullopt;
  const auto text = reply.text();
  if (says_away(text) || text.starts_with("READONLY ")) return Redirection{.kind = Kind::unusable};
  const bool asks = text.starts_with("ASK ");
  if (!asks && !text.starts_with("MOVED ")) return std::nullopt;
  const auto place = text.substr(text.rfind(' ') + 1);
  const auto colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Redirection found{.kind = asks ? Kind::ask : Kind::moved,
                    .host = std::string(place.substr(0, colon))};
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), found.port);
  return found.port == 0 ? std::nullopt : std::optional(found);
}

}  // namespace core
