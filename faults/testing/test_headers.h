// The headers that most tests include, compiled ahead of time. CMake puts it in front of them; the
// preset default does without.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/redis/server.h"
#include "faults/running/run_scenario.h"
#include "faults/world/world.h"
