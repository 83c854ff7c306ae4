// SPDX-License-Identifier: Apache-2.0
#include "net/ca_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/http_client.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;

class CaFile : public testing::Test {
 protected:
  std::string put(const std::string& path) const {
    fs::create_directories((m_root / path).parent_path());
    std::ofstream(m_root / path) << "certificates\n";
    return (m_root / path).string();
  }

  const test::TempFolder m_folder;
  const fs::path m_root = m_folder.path();
};

TEST_F(CaFile, EachDistributionsFileIsFound) {
  for (const char* path : {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
                           "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"}) {
    const std::string file = put(path);
    EXPECT_EQ(systemCaFile(m_root), file);
    fs::remove(file);
  }
}

TEST_F(CaFile, NeitherAFolderNorALinkToNothingIsTakenForOne) {
  EXPECT_EQ(systemCaFile(m_root), "");
  fs::create_directories(m_root / "etc/ssl/certs/ca-certificates.crt");
  fs::create_directories(m_root / "etc/pki/tls/certs");
  fs::create_symlink("absent.pem", m_root / "etc/pki/tls/certs/ca-bundle.crt");
  EXPECT_EQ(systemCaFile(m_root), "");
  const std::string file = put("etc/ssl/ca-bundle.pem");
  EXPECT_EQ(systemCaFile(m_root), file);
}

TEST_F(CaFile, AFileWithoutCertificatesIsNamedInTheError) {
  const test::HttpServer server([](const std::string&, const test::HttpServer::Connection& to) { return to.answer(""); });
  HttpClient client;
  const std::string file = put("no.pem");
  const auto answer = client.request({.url = "https" + server.url("/").substr(4), .ca_file = file});
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.status().message(), testing::HasSubstr(file + ": no certificates can be read from it"));
}

}  // namespace
}  // namespace runglass
