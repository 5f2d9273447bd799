// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace polyrail {

inline constexpr int maxClasses = 6;

/// Devices that the search does not tell apart: same figures, in hosts that look alike (same devices, same links inside,
/// same links to the outside). Devices without a host form one host together. When that gives more than maxClasses kinds,
/// hosts with the same devices count as alike whatever their links: bounds then take the best of them.
struct DeviceClass
{
    int kernelClass = 0;
    std::int64_t memoryBytes = 0;
    std::vector<std::vector<DeviceId>> hosts; ///< devices of this class, by host, in file order
    int hostSize = 0;                         ///< devices of this class in each host
    bool alike = true;                        ///< false: hosts differ in their links; costs are the best of all
    int devices = 0;                          ///< over all hosts
    int unit = 1;                             ///< groups take multiples of this many devices
    /// Upper bounds of what leaves or enters at once, bytes/s: the best-connected device over all its up links, and the
    /// best host over the links that cross its border (infinite when the host holds another class too, because then
    /// a neighbour may be inside).
    double deviceBandwidth = 0;
    double hostBandwidth = 0;
    std::vector<int> tensorSizes;             ///< legal tensor degrees: powers of two within a host that divide the heads
};

/// The cluster as classes, and the best-case costs that bounds use. Thread-safe.
class DeviceClasses
{
public:
    /// Throws std::length_error when there are more than maxClasses kinds of devices even so.
    explicit DeviceClasses(std::shared_ptr<const CostContext> context);

    const std::vector<DeviceClass> &classes() const { return m_classes; }
    /// All group sizes are possible (false: only multiples of the units, as the space's text says).
    bool anySize() const { return m_anySize; }
    /// Most classes that one stage may mix.
    int mostMixed() const { return m_mostMixed; }
    /// Least time of one tensor all-reduce of `bytes` over any aligned block of `tensor` devices of the class;
    /// infinite when no block can do it.
    double tensorAllReduce(std::size_t deviceClass, int tensor, double bytes) const;

private:
    /// `byLook`: hosts must look alike; otherwise the same devices are enough.
    void findClasses(bool byLook);
    void chooseUnits();
    void measureBandwidth(DeviceClass &c) const;

    std::shared_ptr<const CostContext> m_context;
    std::vector<DeviceClass> m_classes;
    bool m_anySize = true;
    int m_mostMixed = maxClasses;
    mutable std::mutex m_mutex;
    mutable std::map<std::tuple<std::size_t, int, double>, double> m_allReduce;
};

} // namespace polyrail
