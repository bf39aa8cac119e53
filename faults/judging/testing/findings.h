// The findings of a judge in a history, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/judging/testing/printers.h"

namespace faults {

// The sentences of what a history shows of one property.
inline std::vector<std::string> found(Property property, HistoryBuilder history) {
  std::vector<std::string> sentences;
  for (const auto& finding : judge(history.judges(property).record).findings) {
    EXPECT_EQ(finding.property, property);
    sentences.push_back(finding.sentence);
  }
  return sentences;
}

}  // namespace faults
