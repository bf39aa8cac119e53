#include "faults/running/parallel.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace faults {

void run_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex
  const auto work = [&] {
    for (auto i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard guard(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < std::max(jobs, 1); ++i) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

int usual_jobs() {
  const auto by_cpus = std::max<rlim_t>(2, std::thread::hardware_concurrency()) * 4;
  // A sweep on five servers has several worlds at once, each with more than a hundred descriptors.
  constexpr rlim_t descriptors_of_one = 1'000;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<int>(by_cpus);
  const auto by_descriptors = std::max<rlim_t>(1, limit.rlim_cur / descriptors_of_one);
  return static_cast<int>(std::min(by_cpus, by_descriptors));
}

}  // namespace faults
