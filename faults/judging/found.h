// What the judge finds in a tale, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/judging/tale.h"

namespace faults {

// What a history shows of one property: the sentences of its findings.
inline std::vector<std::string> found(Property property, Tale tale) {
  std::vector<std::string> sentences;
  for (const auto& finding : judge(tale.judges(property).record).findings) {
    EXPECT_EQ(finding.property, property);
    sentences.push_back(finding.sentence);
  }
  return sentences;
}

}  // namespace faults
