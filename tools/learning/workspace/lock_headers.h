// The headers that learners' locks usually include, compiled ahead of time: somebody waits for
// theirs to be built. CMake puts it in front of them; no lock of ours relies on it, and a learner's
// may.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
#include "core/redis/server.h"
#include "core/token.h"
#include "faults/client/program.h"
// Those of the stages that are there.
#if __has_include("stage6_reentrant/identity.h")
#include "stage6_reentrant/holder.h"
#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/reentrant_lock.h"
#include "stage6_reentrant/waiting/release_subscription.h"
#endif
#if __has_include("stage8_fencing/fenced_hold.h")
#include "stage8_fencing/fenced_hold.h"
#include "stage8_fencing/fenced_tally.h"
#endif
