// SPDX-License-Identifier: GPL-3.0-or-later
// What a program of ours writes is its owner's alone: stores hold logs, command lines, names and captures of processes.
//
// Threading:  first thing in main().
// Cost:       one system call.
#pragma once

#include <sys/stat.h>

namespace runglass {

// Files get mode 0600, folders 0700. What others shall read is given to them by its own chmod.
inline void keepFilesPrivate() { ::umask(077); }

}  // namespace runglass
