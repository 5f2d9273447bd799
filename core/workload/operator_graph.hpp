// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/base/units.hpp"

#include <map>
#include <string>
#include <vector>

namespace polyrail {

enum class OperatorKind { Matmul, Attention, Elementwise, Norm, Embedding, Custom };
const char *toString(OperatorKind k); ///< "matmul" | "attention" | ...

/// What a split owes afterwards.
enum class Recombination { None, Concat, AllReduce, AllToAll };
const char *toString(Recombination r); ///< "none" | "concat" | "all-reduce" | "all-to-all"

/// One legal way to split an operator: along a named dimension, in whole granules.
struct SplitRule
{
    std::string dimension;
    int granule = 1;              ///< shares are multiples of this (one head, one expert)
    Recombination forward = Recombination::Concat;  ///< owed by the output
    Recombination backward = Recombination::None;   ///< owed by the input gradient
    bool operator==(const SplitRule &) const = default;
};

struct Operator
{
    std::string id;
    std::string model;
    OperatorKind kind = OperatorKind::Custom;
    std::map<std::string, std::int64_t> dims; ///< matmul: m, n, k, batch
    double flops = 0;
    double bytes = 0;              ///< read and written
    double parameterBytes = 0;
    double outputBytes = 0;
    bool backward = false;
    std::vector<SplitRule> splits;
    std::map<std::string, double> timesSeconds; ///< kind Custom: by device type or id
};

struct Tensor
{
    int from = 0; ///< index into operators
    int to = 0;
    double bytes = 0;
};

/// Directed acyclic graph of operators. One or several models with weights.
struct OperatorGraph
{
    struct Model
    {
        std::string id;
        double weight = 1;
    };
    std::string name;
    std::vector<Model> models;
    std::vector<Operator> operators;
    std::vector<Tensor> tensors;
};

/// Checks ids, ends, sizes, and that the graph has no cycle; names one cycle if it has. `where` of an error is a JSON
/// pointer into the graph file. Linear time.
Result<OperatorGraph> checkGraph(OperatorGraph graph);

} // namespace polyrail
