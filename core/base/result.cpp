// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.hpp"

namespace polyrail {

std::string Error::message() const
{
    std::string text = where.empty() ? "" : where + ": ";
    if (!found.empty())
        text += "found " + found;
    if (!expected.empty())
        text += (found.empty() ? "expected " : ", expected ") + expected;
    if (!text.empty() && text.back() != '.')
        text += '.';
    if (!remedy.empty())
        text += ' ' + remedy;
    return text;
}

Error Error::at(const std::string &outer) const
{
    Error copy = *this;
    copy.where = where.empty() ? outer : outer + ": " + where;
    return copy;
}

} // namespace polyrail
