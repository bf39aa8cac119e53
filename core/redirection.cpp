#include "core/redirection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace core {
namespace {

constexpr std::array<std::string_view, 4> unusable{"READONLY ", "MASTERDOWN ", "CLUSTERDOWN ",
                                                   "LOADING "};

}  // namespace

std::optional<Redirection> Redirection::in(const Reply& reply) {
  if (!reply.is_error()) return std::nullopt;
  const auto text = reply.text();
  if (std::any_of(unusable.begin(), unusable.end(),
                  [text](std::string_view code) { return text.starts_with(code); })) {
    return Redirection{.kind = Kind::unusable};
  }
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
