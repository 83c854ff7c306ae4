// SPDX-License-Identifier: Apache-2.0
// Which files a path stands for, and which run and source each belongs to when it is of a kind that makes runs of folders.
//
// Threading:  pure but for reading folders.
// Ownership:  values.
// Units:      files.
// Errors:     a folder that cannot be listed is named in FileList::unreadable; the rest is still listed.
// Cost:       one walk of the folder; symbolic links to folders are not followed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace runglass {

struct FoundFile {
  std::string path;    // as shown
  std::string top;     // the folder that makes the run
  std::string source;  // folders below top, "" in it
};

struct RunPlace {
  std::string name;    // wished for
  std::string origin;  // canonical path: what has the right to that name
  std::string source;
  std::string part;  // of the run: files of different parts share no track; "" = may share some with any
};

struct FileList {
  std::vector<FoundFile> files;
  std::vector<std::pair<std::string, std::string>> unreadable;  // folder, why
};

// The file itself, or every regular file below the folder, sorted by path, with the numbers in it by their value. Event files right in the
// folder, or only in folders that name a phase (train, eval, ...), make the folder itself the run; otherwise each folder in it is one.
FileList listFiles(const std::string& path);
// Of a file that is grouped by folder. `member` is the file's own path, or of what lies inside it: "archive.tar/run1/train/file".
RunPlace placeByFolder(const FoundFile& file, const std::string& member);
// Of a trace of one rank: "x_rank3.json" and its likes in one folder are ranks of one run, and so are all that TensorBoard's trace handler
// wrote into a folder ("host_123.456.pt.trace.json") and the steps of one ndtimeline ("trace_step10_19"). Any other trace is its own run.
RunPlace placeOfRankFile(const std::string& member);
// Of a dump that one rank wrote: as above, and "_dump_3", "prefix3", "00003-00064.timeline", "host-pid77.log" and their likes in one
// folder are ranks of one run.
RunPlace placeOfRankDump(const std::string& member);
// Of any other file: its own run.
RunPlace placeAlone(const std::string& member);
std::string canonicalPath(const std::string& path);

}  // namespace runglass
