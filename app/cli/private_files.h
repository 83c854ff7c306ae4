// SPDX-License-Identifier: GPL-3.0-or-later
// Files written by the programs are readable by their owner only: stores contain logs, command lines, names and captures of processes.
//
// Threading:  call it first in main().
// Cost:       one system call.
#pragma once

#include <sys/stat.h>

namespace runglass {

// Files get mode 0600, folders 0700. To share them, the user runs chmod.
inline void keepFilesPrivate() { ::umask(077); }

}  // namespace runglass
