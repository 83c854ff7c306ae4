// SPDX-License-Identifier: Apache-2.0
// The first damaged page that a statement of this process met in a file, so that a view reports it also where an analysis continues without
// the rows.
//
// Threading:  any thread.
// Cost:       a lock per statement that fails.
#pragma once

#include <string>

namespace runglass::sqlite {

void noteDamagedPage(const std::string& path, const std::string& why);
// "…: page 61 of s.rgl does not match its checksum; read for rg_event"; empty: none. A file that replaced another one has its own.
std::string damagedPageOf(const std::string& path);

}  // namespace runglass::sqlite
