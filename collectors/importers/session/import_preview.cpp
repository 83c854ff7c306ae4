// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/session/import_preview.h"

#include <filesystem>

#include "collectors/importers/importer.h"
#include "collectors/importers/input/input_file.h"
#include "collectors/importers/session/run_grouping.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

PreviewedFile lookAt(const InputFile::Member& member) {
  PreviewedFile file{.path = member.path, .kind = "", .reason = "", .bytes = std::nullopt};
  const ImportProbe probe{member.path, member.head};
  if (const Importer* importer = recognisedBy(probe))
    file.kind = importer->kind();
  else
    file.reason = member.head_status.ok() ? whyUnrecognised(probe) : member.head_status.message();
  return file;
}

Status lookInto(const FoundFile& found, const std::stop_token& stop, ImportPreview& preview) {
  if (isOpenHere(found.path)) {
    preview.files.push_back({found.path, "", "this is a store that is open", std::nullopt});
    return {};
  }
  auto input = InputFile::open(found.path);
  if (!input.ok()) {
    preview.files.push_back({found.path, "", input.status().message(), std::nullopt});
    return {};
  }
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(found.path, failed);
  for (;;) {
    if (stop.stop_requested()) return {Code::kCancelled, "preview: stopped"};
    const auto member = (*input)->next();
    if (!member.ok()) {
      preview.files.push_back({found.path, "", member.status().message(), std::nullopt});
      return {};
    }
    if (!member->has_value()) return {};
    if (preview.files.size() >= kMaxPreviewed) {
      preview.more = true;
      return {};
    }
    preview.files.push_back(lookAt(**member));
    if (!failed && (*member)->path == found.path) preview.files.back().bytes = bytes;
  }
}

}  // namespace

Result<ImportPreview> previewImport(const std::vector<std::string>& paths, const std::stop_token& stop) {
  ImportPreview preview;
  for (const std::string& path : paths) {
    const FileList list = listFiles(path);
    for (const auto& [folder, why] : list.unreadable) preview.files.push_back({folder, "", "cannot list the folder: " + why, std::nullopt});
    for (const FoundFile& found : list.files) {
      RG_TRY(lookInto(found, stop, preview));
      if (preview.more) return preview;
    }
  }
  return preview;
}

}  // namespace runglass
