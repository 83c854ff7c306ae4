// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/nvml/nvml_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

namespace runglass::nvml {

namespace {

constexpr const char* kName = "libnvidia-ml.so.1";

// Paths for when the loader does not find it by its name: without ldconfig's cache (containers), or with a loader that searches other
// folders than the host's (the relocatable package).
std::vector<std::string> usualPlaces() {
  static constexpr std::array<const char*, 9> kFolders = {
      "/usr/lib64",        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib",
      "/usr/lib64/nvidia", "/usr/local/nvidia/lib64",   "/usr/local/nvidia/lib",      "/run/opengl-driver/lib",
      "/usr/lib/wsl/lib"};
  std::vector<std::string> places;
  places.emplace_back(kName);
  places.emplace_back("libnvidia-ml.so");
  const auto inFolder = [&](std::string folder) { places.push_back(std::move(folder) + "/" + kName); };
  for (const char* folder : kFolders) inFolder(folder);
  const char* reported = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(reported != nullptr ? reported : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/')) inFolder(folder);
  return places;
}

}  // namespace

Result<std::unique_ptr<Library>> Library::load(const std::string& path) {
  void* handle = nullptr;
  if (!path.empty()) {
    handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  } else {
    for (const std::string& place : usualPlaces())
      if ((handle = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL)) != nullptr) break;
  }
  if (handle == nullptr)
    return Status(Code::kUnavailable, "source.nvml: " + (path.empty() ? std::string(kName) : path) +
                                          ": not found, so there is no NVIDIA driver here; GPU metrics are absent");

  std::unique_ptr<Library> library(new Library(handle));
#define RG_NVML_RESOLVE(member, symbol, arguments) library->member = reinterpret_cast<int(*) arguments>(dlsym(handle, symbol));
  RG_NVML_FUNCTIONS(RG_NVML_RESOLVE)
#undef RG_NVML_RESOLVE
  if (library->init == nullptr || library->count == nullptr || library->handleByIndex == nullptr)
    return Status(Code::kUnavailable, "source.nvml: the library lacks nvmlInit_v2 or device enumeration: too old");
  if (const int rc = library->init(); rc != kSuccess)
    return Status(Code::kUnavailable, "source.nvml: nvmlInit_v2: " + std::string(rc == kDriverNotLoaded ? "the NVIDIA driver is not loaded"
                                                                                                        : "error " + std::to_string(rc)));
  library->m_initialised = true;
  std::array<char, 80> driver{};
  if (library->driverVersion != nullptr && library->driverVersion(driver.data(), driver.size()) == kSuccess)
    library->m_driver = driver.data();
  return library;
}

Library::~Library() {
  if (m_initialised && shutdown != nullptr) shutdown();
  dlclose(m_handle);
}

std::size_t Library::processStride() const {
  int major = 0, minor = 0;
  const bool parsed = std::sscanf(m_driver.c_str(), "%d.%d", &major, &minor) == 2;
  return parsed && major == 535 && minor >= 43 && minor <= 86 ? 32 : 24;
}

}  // namespace runglass::nvml
