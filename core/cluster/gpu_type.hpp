// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace polyrail {

enum class Precision { Fp32, Tf32, Fp16, Bf16, Fp8 };
inline constexpr int precisionCount = 5;
const char *toString(Precision p); ///< "bf16"
std::optional<Precision> precisionFromString(const std::string &text);

/// Constants of the matrix-product model for one GPU type and number format; see
/// core/cost/kernel_model.hpp for the formula. They are used as a set.
struct MatmulConstants
{
    double maxEfficiency = 0.80;      ///< e_max, share of the peak that a full wave reaches
    double pipelineFill = 200;        ///< K0, columns of K lost to filling the pipeline of a tile
    double tileExponent = 0.2;        ///< alpha, loss of small tiles
    double memoryEfficiency = 0.75;   ///< e_bw, share of the memory bandwidth
    double launchSeconds = 4e-6;      ///< t0
    double tailWeight = 0.5;          ///< gam: 1 = a partial wave costs a full one, 0 = nothing
    std::string source;               ///< where the figures come from; empty = architecture default
    double fitErrorPercent = 0;       ///< mean absolute error on held-out data, 0 = not fitted
};

/// One catalogue entry: what a GPU can do, each fact with its source.
struct GpuType
{
    std::string name;                 ///< "A100-80GB-SXM"
    std::vector<std::string> aliases; ///< other spellings that are accepted
    std::string architecture;         ///< "Ampere GA100"
    int multiprocessors = 0;          ///< SMs, or compute units
    Bytes memory;
    BytesPerSecond memoryBandwidth;
    Bytes l2Cache;
    /// Dense peak per number format; nullopt where the chip has no units for it.
    std::array<std::optional<FlopsPerSecond>, precisionCount> peak;
    BytesPerSecond scaleUpBandwidth;  ///< NVLink and the like, per direction, 0 = none
    std::string scaleUp;              ///< "NVLink3 12x25 + NVSwitch"
    int pcieGeneration = 0;
    BytesPerSecond pcieBandwidth;     ///< per direction
    std::map<Precision, MatmulConstants> matmul; ///< empty = inherited from the architecture
    std::string source;
    std::vector<std::string> unverified; ///< fields whose figure is not from a vendor sheet
    std::string note;

    /// Peak for a format; a format without units of its own runs at the next wider one that exists
    /// (fp8 -> bf16 -> fp16 -> tf32 -> fp32), as the frameworks fall back. Where only narrower ones are
    /// listed, the nearest of those; 0 when the type has no figures at all.
    FlopsPerSecond peakFor(Precision p) const;
};

/// The GPU types that are known, by name or alias (case, blanks, '-' and '_' do not matter, nor do brand
/// words in front: "NVIDIA GeForce RTX 4090" is "RTX 4090").
class Catalogue
{
public:
    Catalogue() = default;
    explicit Catalogue(std::vector<GpuType> types);

    const std::vector<GpuType> &types() const { return m_types; }
    const GpuType *find(const std::string &nameOrAlias) const;
    /// Up to three names that look like `name`, for "did you mean".
    std::vector<std::string> similar(const std::string &name) const;

private:
    std::vector<GpuType> m_types;
    std::map<std::string, std::size_t> m_byKey;
};

} // namespace polyrail
