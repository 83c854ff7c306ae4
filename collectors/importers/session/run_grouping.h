// SPDX-License-Identifier: Apache-2.0
// The files of a path, and the run and source of each if its kind forms runs from folders.
//
// Threading:  pure but for reading folders.
// Units:      files.
// Errors:     a folder that cannot be listed is in FileList::unreadable; the rest is still listed.
// Cost:       one walk of the folder; symbolic links to folders are not followed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace runglass {

struct FoundFile {
  std::string path;    // as shown to the user
  std::string top;     // folder of the run
  std::string source;  // folders between top and the file, "" directly in top
};

struct RunPlace {
  std::string name;    // requested name
  std::string origin;  // canonical path that owns that name
  std::string source;
  std::string part;  // part of the run: files of different parts share no track; "" = may share one with any
};

struct FileList {
  std::vector<FoundFile> files;
  std::vector<std::pair<std::string, std::string>> unreadable;  // folder, reason
};

// The file itself, or every regular file below the folder, sorted by path, with numbers by value. Event files directly in the folder, or
// only in folders named after a phase (train, eval, ...), make the folder itself the run; otherwise each folder in it is one.
FileList listFiles(const std::string& path);
// For a file that is grouped by folder. `member` is the file's own path, or that of an archive member: "archive.tar/run1/train/file".
RunPlace placeByFolder(const FoundFile& file, const std::string& member);
// For a trace of one rank: files such as "x_rank3.json" in one folder are ranks of one run, and so are all files of TensorBoard's trace
// handler in a folder ("host_123.456.pt.trace.json") and the steps of one ndtimeline ("trace_step10_19"). Any other trace is its own run.
RunPlace placeOfRankFile(const std::string& member);
// For a dump of one rank: as above, and files such as "_dump_3", "prefix3", "00003-00064.timeline", "host-pid77.log" in one folder are
// ranks of one run.
RunPlace placeOfRankDump(const std::string& member);
// For any other file: its own run.
RunPlace placeAlone(const std::string& member);
std::string canonicalPath(const std::string& path);

}  // namespace runglass
