// The threads of a client beside its main one: some stories need a second thread in one process.
//
// Thread-safety: none; one thread asks.
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

class Hands {
 public:
  // Runs `task` on thread `number`, and returns (or throws) when it is done. Number 1 is the
  // calling thread; every other is started when it is first named, and stays.
  void on(int number, const std::function<void()>& task) {
    if (number == 1) return task();
    auto& hand = hands_[number];
    if (!hand) hand = std::make_unique<Hand>();
    hand->run(task);
  }

 private:
  class Hand {
   public:
    Hand() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

    void run(const std::function<void()>& task) {
      std::packaged_task<void()> packaged(task);
      auto result = packaged.get_future();
      {
        const std::lock_guard guard(mutex_);
        task_ = std::move(packaged);
      }
      given_.notify_one();
      result.get();
    }

   private:
    void work(const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (given_.wait(lock, stop, [this] { return task_.valid(); })) {
        auto task = std::exchange(task_, {});
        lock.unlock();
        task();
        lock.lock();
      }
    }

    std::mutex mutex_;
    std::condition_variable_any given_;
    std::packaged_task<void()> task_;  // guarded by mutex_
    std::jthread thread_;
  };

  std::map<int, std::unique_ptr<Hand>> hands_;
};

}  // namespace client
