// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace polyrail {

/// What went wrong, in the caller's terms. The class decides the exit code of the command line.
enum class ErrorKind {
    Input,      ///< a file, a value or an argument is wrong (exit code 2)
    Infeasible, ///< the question is well formed, but no plan exists (exit code 3)
    Io,         ///< reading or writing failed (exit code 2)
    Cancelled,  ///< the caller asked to stop
};

/// Every error says where, what was found, what was expected, and what to do about it.
struct Error
{
    ErrorKind kind = ErrorKind::Input;
    std::string where;    ///< file, "file:line", or a JSON pointer such as "/links/3/bandwidth"
    std::string found;
    std::string expected;
    std::string remedy;

    /// One paragraph: "<where>: found <found>, expected <expected>. <remedy>"
    std::string message() const;
    /// The same error seen from further out: "file" + "/links/3" -> "file: /links/3".
    Error at(const std::string &outer) const;
};

template<class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error e) { return tl::unexpected<Error>(std::move(e)); }
inline tl::unexpected<Error> inputError(std::string where, std::string found, std::string expected,
                                        std::string remedy = {})
{
    return fail({ErrorKind::Input, std::move(where), std::move(found), std::move(expected), std::move(remedy)});
}

} // namespace polyrail
