// SPDX-License-Identifier: GPL-3.0-or-later
// Names by which other machines may reach this one: its host name, then its addresses, except loopback and link-local ones.
//
// Threading:  any.
// Errors:     information that cannot be queried is left out.
// Cost:       two system calls.
#pragma once

#include <QStringList>

namespace runglass {

QStringList namesOfThisHost();

}  // namespace runglass
