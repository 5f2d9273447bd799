// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/case_cluster.hpp"
#include "core/plan/predict.hpp"

#include <string>
#include <vector>

namespace polyrail {

/// Where the ranks of a case sit: tensor index fastest, then context, then data, then stage.
struct CasePlacement
{
    std::vector<CaseHost> hosts;
    std::vector<DeviceId> deviceOfRank; ///< of the ranks on the hosts above; fewer than the case has when it is large
    std::vector<std::string> types;     ///< GPU types in use
    std::vector<std::size_t> typeOfRank; ///< index into types; one entry when all are alike
    double leastMemoryGib = 0;          ///< of the smallest GPU
    std::string note;

    std::size_t typeOf(int rank) const
    {
        return typeOfRank.size() == 1 ? 0 : typeOfRank[static_cast<std::size_t>(rank)];
    }
};

/// Reads the `nodes` and `placement` texts of mixed clusters, or lays out equal hosts, at most `mostHosts` of them.
/// A type's GPUs are taken in the order of its nodes. Errors (Input): a text that does not parse, a type that is not
/// known, more GPUs placed than there are.
Result<CasePlacement> placeCase(const TrainingCase &c, const Catalogue &catalogue, int mostHosts);

} // namespace polyrail
