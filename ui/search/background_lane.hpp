// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace polyrail {

/// One worker thread for work that must not hold up the window. Jobs run one at a time. All members are for the owning
/// thread; jobs must not throw.
class BackgroundLane
{
public:
    BackgroundLane();
    /// Runs every job of post() that is still waiting, forgets a waiting job of postLatest(), and joins.
    ~BackgroundLane();
    BackgroundLane(const BackgroundLane &) = delete;
    BackgroundLane &operator=(const BackgroundLane &) = delete;

    /// Runs once all earlier posted jobs are done.
    void post(std::function<void()> job);
    /// Runs after the jobs of post(); takes the place of an earlier postLatest() that has not begun.
    void postLatest(std::function<void()> job);
    void forgetLatest();

private:
    void run();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_jobs;
    std::function<void()> m_latest;
    bool m_closing = false;
    std::thread m_thread; // last: starts when the rest is ready
};

} // namespace polyrail
