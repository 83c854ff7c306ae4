// SPDX-License-Identifier: Apache-2.0
// Stack files (collectors/sources/capture) of trainers whose rings are gone.
//
// Threading:  pure, but for the file system.
// Ownership:  removes files.
// Errors:     unreadable or undeletable files are ignored.
// Cost:       one listing of the directory, one small read per stray file.
#pragma once

#include <string>

namespace runglass {

// The directory can be another user's while this process is root: links are not followed, and only a stack file of the directory's own
// owner is removed.
void dropStrayStacks(const std::string& dir);

}  // namespace runglass
