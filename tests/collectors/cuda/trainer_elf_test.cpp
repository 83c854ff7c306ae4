// SPDX-License-Identifier: Apache-2.0
// Libraries loaded into a trainer must work wherever trainers run: old C libraries, no C++ library of Runglass.
#include <elf.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace runglass::test {
namespace {

class Elf {
 public:
  explicit Elf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    m_bytes.assign(std::istreambuf_iterator<char>(file), {});
    const auto header = at<Elf64_Ehdr>(0);
    for (int i = 0; i < header.e_shnum; ++i)
      m_sections.push_back(at<Elf64_Shdr>(header.e_shoff + static_cast<std::size_t>(i) * header.e_shentsize));
  }
  std::set<std::string> needed() const {
    std::set<std::string> names;
    for (const Elf64_Shdr& section : m_sections)
      for (std::size_t i = 0; section.sh_type == SHT_DYNAMIC && i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
        const auto entry = at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
        if (entry.d_tag == DT_NEEDED) names.insert(text(section, entry.d_un.d_val));
      }
    return names;
  }
  // "GLIBC_2.17", ...: the versions of external symbols it was linked against.
  std::set<std::string> versions() const {
    std::set<std::string> names;
    for (const Elf64_Shdr& section : m_sections) {
      std::size_t file = section.sh_offset;
      for (std::size_t i = 0; section.sh_type == SHT_GNU_verneed && i < section.sh_info; ++i) {
        const auto need = at<Elf64_Verneed>(file);
        std::size_t version = file + need.vn_aux;
        for (int k = 0; k < need.vn_cnt; ++k) {
          const auto aux = at<Elf64_Vernaux>(version);
          names.insert(text(section, aux.vna_name));
          version += aux.vna_next;
        }
        file += need.vn_next;
      }
    }
    return names;
  }

 private:
  template <class T>
  T at(std::size_t offset) const {
    T value{};
    if (offset + sizeof(T) <= m_bytes.size()) std::memcpy(&value, m_bytes.data() + offset, sizeof(T));
    return value;
  }
  std::string text(const Elf64_Shdr& section, std::size_t offset) const {
    return m_bytes.data() + m_sections.at(section.sh_link).sh_offset + offset;
  }
  std::vector<char> m_bytes;
  std::vector<Elf64_Shdr> m_sections;
};

TEST(TrainerLibraries, NeedNothingNewerThanGlibc217) {
  for (const char* path : {RG_CLIENT, RG_TRACER}) {
    const std::set<std::string> versions = Elf(path).versions();
    EXPECT_FALSE(versions.empty()) << path;
    for (const std::string& version : versions) {
      int major = 0, minor = 0;
      ASSERT_GE(std::sscanf(version.c_str(), "GLIBC_%d.%d", &major, &minor), 2) << path << " needs " << version;
      EXPECT_LE(major * 1000 + minor, 2017) << path << " needs " << version;
    }
  }
}

TEST(TrainerLibraries, NeedOnlyTheCLibrary) {
  const std::set<std::string> allowed = {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};
  for (const char* path : {RG_CLIENT, RG_TRACER})
    for (const std::string& name : Elf(path).needed()) EXPECT_TRUE(allowed.contains(name)) << path << " needs " << name;
}

}  // namespace
}  // namespace runglass::test
