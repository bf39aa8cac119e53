#include "tools/app/tour_texts.h"

#include <gtest/gtest.h>

#include "tools/table/stages.h"
#include "tools/terminal/testing/known_text.h"

namespace app {
namespace {

using terminal::expect_known;

TEST(TourTexts, AreKnownInChinese) {
  for (const auto* text : {tour_title, tour_words, tour_next}) expect_known(text);
  for (const auto& stop : tour_stops) {
    expect_known(stop.question);
    for (const auto& encore : stop.encores) expect_known(encore.sentence);
  }
  for (const auto& stage : table::all_stages()) expect_known(stage.adds);
  for (const auto& turn : table::all_wrong_turns()) expect_known(turn.adds);
  for (const auto& variant : table::all_variants()) expect_known(variant.adds);
}

}  // namespace
}  // namespace app
