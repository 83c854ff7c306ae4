// SPDX-License-Identifier: Apache-2.0
// Where this host keeps the certificate authorities that it trusts.
//
// libcurl knows one place, that of the distribution it was built for; a program that is carried to other hosts (docs/operate/binaries.md)
// has to look.
//
// Threading:  any.
// Ownership:  none.
// Units:      none.
// Errors:     empty where there is no such file.
// Cost:       a look at up to five paths.
#pragma once

#include <string>

namespace runglass {

// The first of the usual files that is there below `root`; a PEM bundle.
std::string systemCaFile(const std::string& root = "/");

}  // namespace runglass
