// SPDX-License-Identifier: Apache-2.0
// Finds this host's bundle of trusted certificate authorities.
//
// libcurl has one compiled-in path, that of the distribution it was built for; a program that runs on other hosts
// (docs/operate/binaries.md) must search.
//
// Threading:  any thread.
// Errors:     empty where there is no such file.
// Cost:       checks up to five paths.
#pragma once

#include <string>

namespace runglass {

// The first of the usual PEM bundles that exists below `root`.
std::string systemCaFile(const std::string& root = "/");

}  // namespace runglass
