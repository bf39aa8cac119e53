// The numbered threads of a client: some scenarios need a second thread in one process.
//
// Thread-safety: none; one thread calls `run_on`.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace client {

class NumberedThreads {
 public:
  // Runs `task` on thread `number`, and returns when it is done; throws what `task` throws. Number
  // 1 is the calling thread. Every other thread starts when its number is first used, and runs
  // until this object is destroyed.
  void run_on(int number, const std::function<void()>& task) {
    if (number == 1) return task();
    auto& worker = workers_[number];
    if (!worker) worker = std::make_unique<Worker>();
    worker->run(task);
  }

 private:
  class Worker {
   public:
    Worker() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

    void run(const std::function<void()>& task) {
      std::packaged_task<void()> packaged(task);
      auto result = packaged.get_future();
      {
        const std::lock_guard guard(mutex_);
        task_ = std::move(packaged);
      }
      has_task_.notify_one();
      result.get();
    }

   private:
    void work(const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (has_task_.wait(lock, stop, [this] { return task_.valid(); })) {
        auto task = std::exchange(task_, {});
        lock.unlock();
        task();
        lock.lock();
      }
    }

    std::mutex mutex_;
    std::condition_variable_any has_task_;
    std::packaged_task<void()> task_;  // guarded by mutex_
    std::jthread thread_;
  };

  std::map<int, std::unique_ptr<Worker>> workers_;
};

}  // namespace client
