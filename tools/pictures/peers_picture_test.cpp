// The picture of what other people's locks cost.
#include "tools/pictures/peers_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/kit/errors.h"

namespace pictures {
namespace {

using testing::HasSubstr;

constexpr auto chapter =
    "<!-- bench: peers -->\n"
    "| peers | pairs/s | of its limit |\n|---|---:|---:|\n"
    "| one/alone/redsync | 2500 | 0.50 (0.4–0.6) |\n"
    "| one/alone/stage4_lua_release | 10000 | 1.00 (0.9–1.1) |\n"
    "| five/eight/redsync | 20 | – |\n"
    "<!-- end -->\n";

TEST(PeersPicture, HasTheFastestOfEachPartFirst) {
  const auto svg = picture_of_peers(chapter);
  EXPECT_LT(svg.find(">10000<"), svg.find(">2500<"));
  EXPECT_LT(svg.find(">2500<"), svg.find(">five servers, eight clients that want one lock<"));
}

TEST(PeersPicture, HasBarsAsLongAsTheirNumbers) {
  const auto svg = picture_of_peers(chapter);
  EXPECT_THAT(svg, HasSubstr("<rect class=\"lane-0\" x=\"200.0\" y=\"115.0\" width=\"590.0\""));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"lane-1\" x=\"200.0\" y=\"137.0\" width=\"147.5\""));
}

TEST(PeersPicture, RefusesAChapterWithoutTheTable) {
  EXPECT_THROW((void)picture_of_peers("<!-- bench: waiting -->\n<!-- end -->"), faults::CannotRun);
  EXPECT_THROW((void)picture_of_peers("<!-- bench: peers -->\n<!-- end -->"), faults::CannotRun);
}

}  // namespace
}  // namespace pictures
