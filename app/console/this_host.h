// SPDX-License-Identifier: GPL-3.0-or-later
// By what other machines may reach this one: its name, then its addresses, those of loopback and of links alone left out.
//
// Threading:  any.
// Errors:     none: what cannot be asked is left out.
// Cost:       two system calls.
#pragma once

#include <QStringList>

namespace runglass {

QStringList namesOfThisHost();

}  // namespace runglass
