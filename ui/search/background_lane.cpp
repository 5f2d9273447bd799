// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search/background_lane.hpp"

#include <utility>

namespace polyrail {

BackgroundLane::BackgroundLane() : m_thread([this] { run(); }) {}

BackgroundLane::~BackgroundLane()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
        m_latest = nullptr;
    }
    m_wake.notify_one();
    m_thread.join();
}

void BackgroundLane::post(std::function<void()> job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }
    m_wake.notify_one();
}

void BackgroundLane::postLatest(std::function<void()> job)
{
    std::function<void()> replaced; // destroyed outside the lock
    {
        const std::lock_guard lock(m_mutex);
        replaced = std::exchange(m_latest, std::move(job));
    }
    m_wake.notify_one();
}

void BackgroundLane::forgetLatest()
{
    std::function<void()> dropped;
    const std::lock_guard lock(m_mutex);
    dropped.swap(m_latest);
}

void BackgroundLane::run()
{
    for (;;) {
        std::function<void()> job;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_closing || !m_jobs.empty() || m_latest; });
            if (!m_jobs.empty()) {
                job = std::move(m_jobs.front());
                m_jobs.pop_front();
            } else if (m_latest) {
                job = std::exchange(m_latest, nullptr);
            } else {
                return;
            }
        }
        job();
    }
}

} // namespace polyrail
