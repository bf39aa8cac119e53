// The headers that every stage's client program includes, compiled ahead of time. CMake puts this
// file in front of each; the preset default does without.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/lease.h"
#include "core/lock.h"
#include "core/per_thread.h"
#include "core/redis/async_connection.h"
#include "core/redis/server.h"
#include "core/token.h"
#include "faults/client/program.h"
