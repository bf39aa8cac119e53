// Every descriptor that can be read is named, however many there are.
#include "faults/explore/world/ready_set.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>

#include <list>

namespace {

TEST(ReadySet, NamesMoreThanOneCallOfTheKernelSays) {
  explore::ReadySet ready;
  std::list<faults::Descriptor> descriptors;
  std::vector<void*> tags;
  for (int i = 0; i < 200; ++i) {
    auto& descriptor = descriptors.emplace_back(eventfd(i % 2, EFD_CLOEXEC));
    ready.add(descriptor, &descriptor);
    if (i % 2 == 1) tags.push_back(&descriptor);  // its counter is not 0: it can be read
  }
  EXPECT_THAT(ready.ready(), testing::UnorderedElementsAreArray(tags));
}

}  // namespace
