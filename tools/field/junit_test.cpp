#include "tools/field/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/field/testing/small_report.h"

namespace field {
namespace {

using testing::HasSubstr;

TEST(JUnit, HasACaseForEachCell) {
  const auto xml =
      junit_xml(small_report({"killed_holder", "slow_holder", "half_open"},
                             {{.name = "mine", .states = {"held", "violated", "not_run"}}}));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"mine\" tests=\"3\" failures=\"1\" skipped=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("name=\"killed_holder\"></testcase>"));
  EXPECT_THAT(xml, HasSubstr("name=\"slow_holder\"><failure message=\"two were inside.\">"));
  EXPECT_THAT(xml,
              HasSubstr("name=\"half_open\"><skipped message=\"not run: so it is\"/></testcase>"));
}

TEST(JUnit, EscapesText) {
  auto data = small_report({"slow_holder"}, {{.name = "mine", .states = {"violated"}}});
  data["rows"][0]["cells"][0]["sentence"] = "a \"b\" <c> & d\x01";
  EXPECT_THAT(junit_xml(data), HasSubstr("message=\"a &quot;b&quot; &lt;c&gt; &amp; d \""));
}

}  // namespace
}  // namespace field
