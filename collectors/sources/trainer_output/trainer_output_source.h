// SPDX-License-Identifier: Apache-2.0
// Source `trainer_output`: tails the outputs of the trainers on this node without configuration. Which files: trainer_files.h. Lines belong
// to the run and attempt of the process's ring, or to those that librunglass would take from its environment; where one rank writes a
// file, they are that rank's.
//
// Threading:  see follow_source.h.
// Units:      see train_log_source.h.
// Errors:     as train_log. Files that [source.train_log] or another source tails, or whose paths its
//             configuration names, are left to it.
// Cost:       that of TrainerFiles::look() every kLookEvery, and of follow_source.h for each file.
// Config:     users = "own" (default) or "all" (an agent that runs as root: trainers of every user), lease as in follow_source.h.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeTrainerOutputSource();

}  // namespace runglass
