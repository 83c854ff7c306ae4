// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/prometheus_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Access : public ::testing::Test {
 protected:
  Result<PrometheusAccess> read(const std::string& toml, mode_t mode = 0600) {
    std::ofstream(m_file) << toml;
    ::chmod(m_file.c_str(), mode);
    return prometheusAccess("https://prom.example/team/", m_file);
  }
  test::TempFolder m_folder;
  std::string m_file = m_folder.file("access.toml");
};

TEST_F(Access, SecretsComeFromAFileThatOnlyItsOwnerReads) {
  const auto access = read("token = \"abc\"\nca_file = \"/etc/ca.pem\"\nheaders = { X-Scope-OrgID = \"team-a\" }\n");
  ASSERT_TRUE(access.ok()) << access.status().message();
  EXPECT_EQ(access->url, "https://prom.example/team");
  EXPECT_EQ(access->token, "abc");
  EXPECT_EQ(access->ca_file, "/etc/ca.pem");
  EXPECT_THAT(access->headers, ElementsAre("X-Scope-OrgID: team-a"));
  EXPECT_THAT(read("token = \"abc\"\n", 0644).status().message(), HasSubstr("access.toml: readable by others; chmod 600 it"));
}

TEST_F(Access, AWrongFileIsNamedWithItsLineAndNeverItsSecret) {
  EXPECT_THAT(read("token = \"hidden\"\nuser = \"a\"\npassword = \"b\"\n").status().message(), HasSubstr("a token and a user"));
  EXPECT_THAT(read("user = \"a\"\n").status().message(), HasSubstr("user and password are given together"));
  EXPECT_THAT(read("a = 1\n").status().message(), HasSubstr("line 1: unknown key 'a'"));
  EXPECT_THAT(read("headers = { \"A: b\" = \"c\" }\n").status().message(), HasSubstr("line 1: a header is a name and a text of one line"));
  EXPECT_THAT(read("headers = { A = \"c\\r\\nB: d\" }\n").status().message(), HasSubstr("a text of one line"));
  const std::string broken = read("token = \"hidden\n").status().message();
  EXPECT_THAT(broken, HasSubstr("line 1"));
  EXPECT_THAT(broken, Not(HasSubstr("hidden")));
}

TEST_F(Access, AUrlHasNoSecretsAndNoQuery) {
  const auto why = [](const std::string& url) { return prometheusAccess(url, "").status().message(); };
  EXPECT_EQ(why("http://prom:9090"), "");
  EXPECT_EQ(why("http://[::1]:9090/select/0/prometheus"), "");
  EXPECT_THAT(why("prom:9090"), HasSubstr("not an http or https address"));
  EXPECT_THAT(why("http://a:secret@prom:9090"), HasSubstr("user and password belong into the access file"));
  EXPECT_THAT(why("http://a:secret@prom:9090"), Not(HasSubstr("secret")));
  EXPECT_THAT(why("http://prom:9090/?a=b"), HasSubstr("without ? and #"));
  EXPECT_THAT(why("http://"), HasSubstr("without a host"));
}

}  // namespace
}  // namespace runglass
