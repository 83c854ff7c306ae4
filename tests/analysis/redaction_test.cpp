// SPDX-License-Identifier: Apache-2.0
// Texts to be replaced are nowhere in the output, and all other texts are unchanged.
#include "analysis/report/redaction.h"

#include <gmock/gmock.h>

#include "analysis/report/read_report.h"
#include "analysis/report/redacted_reader.h"
#include "analysis/report/report_writers.h"
#include "analysis/words/sentences.h"
#include "storage/open_store.h"
#include "tests/storage/sample_store.h"

namespace runglass::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::set<RedactClass> kAll = {RedactClass::kHosts, RedactClass::kUsers, RedactClass::kPaths, RedactClass::kAddresses,
                                    RedactClass::kTokens};

struct Secret {
  const char* text;
  const char* canary;  // must not be in the output
};

TEST(Redaction, SecretsOfEveryShapeAreGone) {
  const Secret secrets[] = {
      {"Authorization: Bearer abcDEF123456", "abcDEF123456"},
      {"curl -H 'authorization: token ghz123abc'", "ghz123abc"},
      {"X-Api-Key: qwerty-12", "qwerty-12"},
      {"key AKIAIOSFODNN7EXAMPLE used", "AKIAIOSFODNN7EXAMPLE"},
      {"ASIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE"},
      {"aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"},
      {"HF hf_AbCdEfGhIjKlMnOpQrStUvWxYz loaded", "hf_AbCdEf"},
      {"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7"},
      {"github_pat_11ABCDEFG0aBcDeFgHiJkL_x", "github_pat_11"},
      {"glpat-AbCdEfGhIjKlMnOp1234", "glpat-AbCd"},
      {"xoxb-123456789012-abcdef", "xoxb-1234"},
      {"OPENAI sk-proj-AbCdEf0123456789xyz", "sk-proj-AbCd"},
      {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIi"},
      {"wandb key 0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef"},
      {"--api-key s3cr3t! and on", "s3cr3t!"},
      {"WANDB_API_KEY=tiny99", "tiny99"},
      {"password: hunter2", "hunter2"},
      {"{\"token\": \"short1\"}", "short1"},
      {"postgres://bob:pa55word@db/x", "pa55word"},
      {"-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"},
      {"mixed Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg== end", "Zm9vYmFyYmF6"},
      {"Authorization: ApiKey s3cr3tkey1", "s3cr3tkey1"},
      {"Cookie: session=abc123; csrftoken2=def456", "def456"},
      {"password = \"two words\"", "words"},
      {"passwd=foo,bar9 and on", "bar9"},
      {"token=abcde,password=hunter2", "hunter2"},
      {"https://bob:p@ss1@host.example/x", "ss1"},
      {"passphrase: opensesame", "opensesame"},
      {"https://x.blob.example/c?sv=2022&sig=aB%2Bc9d8e7", "aB%2Bc9d8e7"},
      {"https://hooks.slack.com/services/T0AB/B0CD/xyzXYZ123456", "xyzXYZ123456"},
      {"key nvapi-AbCdEfGhIjKlMnOpQrStUv", "nvapi-AbCd"},
      {"KEY_hf_AbCdEfGhIjKlMnOpQrStUvWxYz", "hf_AbCdEf"},
  };
  Redactor redactor({RedactClass::kTokens});
  for (const Secret& one : secrets) EXPECT_THAT(redactor.text(one.text), Not(HasSubstr(one.canary))) << one.text;
  EXPECT_GE(redactor.count(RedactClass::kTokens), 15U);
}

TEST(Redaction, AddressesPathsUsersAndHostsAreGone) {
  const Secret secrets[] = {
      {"from 10.1.2.3:29500", "10.1.2.3"},
      {"peer fe80::1ff:fe23:4567:890a%eth0", "fe80"},
      {"addr 2001:db8:0:0:0:0:2:1 up", "2001:db8"},
      {"mac 00:1A:2b:3c:4d:5e", "4d:5e"},
      {"mail jane.doe@corp.example now", "jane.doe"},
      {"cd /home/jdoe/run && ls", "jdoe"},
      {"ckpt=/mnt/lustre/proj/x.pt", "lustre"},
      {"s3://bucket-a/key saved", "bucket-a"},
      {"C:\\Users\\jdoe\\x", "jdoe"},
      {"ssh jdoe@n0412 failed", "jdoe"},
      {"on gpu-17.cluster.local port 1", "gpu-17"},
      {"n0412 is gone", "n0412"},
      {"N0412.pod.example.com is gone", "0412"},
      {"worker_n0412_0", "n0412"},
      {"hostname=login-3", "login-3"},
      {"USER=alice9", "alice9"},
      {"peer:2001:db8::7 up", "2001:db8"},
      {"[2001:db8::9]:29500", "2001:db8"},
      {"node_10.9.8.7_0", "10.9.8.7"},
      {"cisco 001a.2b3c.4d5e", "4d5e"},
      {"guid 506b:4b03:00c2:f5e6", "f5e6"},
      {"in `/mnt/notes/secret` it says", "notes"},
      {"gcc -I/opt/private/include", "private"},
      {"data(a)/deep/secret/x", "deep"},
      {"\\\\filer\\share\\x", "filer"},
      {"ip-10-1-2-3 is gone", "10-1-2"},
      {"gpu-77 is gone", "gpu-77"},
      {"host=node-77 is gone", "node-77"},
      {"wandb: Currently logged in as: alice7 (team7). Use `wandb login`", "alice7"},
      {"wandb: Currently logged in as: alice7 (team7). Use `wandb login`", "team7"},
      {"by Jane Q. Doe <jane@corp.example>", "Jane"},
      {"ssh bob7@[2001:db8::1]", "bob7"},
      {"GPU-12345678-1234-1234-1234-123456789abc is lost", "12345678"},
      {"board serial number: 1324221012345", "1324221012345"},
  };
  Redactor redactor(kAll);
  redactor.know({"n0412", "n0413", "gpu-77.pod3.weird"}, {"alice9"});
  for (const Secret& one : secrets) EXPECT_THAT(redactor.text(one.text), Not(HasSubstr(one.canary))) << redactor.text(one.text);
}

TEST(Redaction, WhatIsNoneOfItStays) {
  Redactor redactor(kAll);
  redactor.know({"n1"}, {});
  for (const char* text :
       {"step 1200 took 1.25 s, 3.9 % slower", "Xid 79 (GPU has fallen off the bus), rank 21", "rank 3 waited for rank 1 at 22:29:10",
        "all_reduce #88121 of stage 3", "max_tokens=4096 of 1024 tokens: 12", "loss/train 3.25 tokens/s", "version 2.27.3",
        "run 6b4b3570-0000-4000-8000-000000000000", "nccl::AllReduce", "2026-03-02 10:00:00Z"})
    EXPECT_EQ(redactor.text(text), text);
}

TEST(Redaction, WhatIsNotChosenStays) {
  Redactor redactor({RedactClass::kAddresses});
  redactor.know({"n0412"}, {"bob"});
  EXPECT_EQ(redactor.text("bob on n0412 (10.0.0.1): /home/bob token=abc"), "bob on n0412 ([address 1]): /home/bob token=abc");
  Redactor nothing({});
  EXPECT_EQ(nothing.text("password: hunter2 10.0.0.1"), "password: hunter2 10.0.0.1");
}

TEST(Redaction, EqualThingsStayEqualAndPseudonymsFollowTheNames) {
  Redactor redactor(kAll);
  redactor.know({"zeta", "alpha"}, {});
  EXPECT_EQ(redactor.text("zeta and alpha and zeta"), "node-02 and node-01 and node-02");
  EXPECT_EQ(redactor.text("10.0.0.1 10.0.0.2 10.0.0.1"), "[address 1] [address 2] [address 1]");
  EXPECT_EQ(redactor.count(RedactClass::kHosts), 2U);
  EXPECT_EQ(redactor.count(RedactClass::kAddresses), 2U);
}

TEST(Redaction, AReplacedTextIsNotReplacedAgain) {
  Redactor redactor(kAll);
  redactor.know({"n1"}, {"bob"});
  const std::string once = redactor.text("bob@n1.corp.example 10.0.0.1 /home/bob/x token=abcdef n1");
  EXPECT_EQ(redactor.text(once), once);
}

TEST(Redaction, AMachineIsOneUnderItsShortAndItsLongName) {
  Redactor redactor(kAll);
  redactor.know({"n1.pod.weird", "n2", "n3.east", "n3.west"}, {});
  EXPECT_EQ(redactor.text("n1 and n1.pod.weird"), "node-01 and node-01");
  EXPECT_EQ(redactor.host("n1"), redactor.host("n1.pod.weird"));
  // Two machines with the same short name stay distinct.
  EXPECT_NE(redactor.host("n3.east"), redactor.host("n3.west"));
  EXPECT_THAT(redactor.text("n3 is gone"), Not(HasSubstr("n3")));
}

TEST(Redaction, NamesThatAreNumbersOrEverybodysDoNotEatText) {
  Redactor redactor(kAll);
  redactor.know({"0", "localhost"}, {"root", "7"});
  EXPECT_EQ(redactor.text("rank 0 of 7 on localhost"), "rank 0 of 7 on localhost");
  EXPECT_EQ(redactor.host("localhost"), "localhost");
  EXPECT_EQ(redactor.host("0"), "node-01");
}

TEST(Redaction, WhatAJobSchedulerTellsIsNamedByItsVariable) {
  Redactor redactor(kAll);
  redactor.know({}, {});
  for (const char* name : {"SLURM_JOB_NODELIST", "NODE_NAME", "SLURM_JOB_USER", "SLURM_JOB_ACCOUNT", "serial", "gpu_serial"})
    EXPECT_THAT(redactor.value(name, "canary[017-032]"), Not(HasSubstr("canary"))) << name;
  EXPECT_EQ(redactor.value("SLURM_JOB_NUM_NODES", "4"), "4");
}

TEST(Redaction, EvidenceStaysJsonOfTheSameShape) {
  Redactor redactor(kAll);
  redactor.know({"n0412"}, {});
  EXPECT_EQ(redactor.json(R"({"root":{"kind":"xid","code":"79"},"nodes":["n0412"],"n0412":1,"ratio":0.25,"password":"x1y2"})"),
            R"({"root":{"kind":"xid","code":"79"},"nodes":["node-01"],"node-01":1,"ratio":0.25,"password":"[secret 1]"})");
  EXPECT_EQ(redactor.json("not json n0412"), "not json node-01");
  std::string deep;
  for (int i = 0; i < 5'000; ++i) deep += "[";
  EXPECT_FALSE(redactor.json(deep).empty());
}

TEST(Redaction, TheMessageOfAFindingNamesTheSameTemplatesWithOtherNames) {
  Redactor redactor(kAll);
  redactor.know({"n0412"}, {});
  for (const words::Template& one : words::catalogue()) {
    const words::Message message{std::string(one.id),
                                 {{"node", "n0412"}, {"nodes", words::Arg::List{"n0412"}}, {"what", words::Term{"power limit"}}}};
    EXPECT_EQ(redactor.json(words::print(message)),
              R"({"id":")" + std::string(one.id) + R"(","args":{"node":"node-01","nodes":["node-01"],"what":{"term":"power limit"}}})");
  }
}

TEST(Redaction, OddBytesAndLongTextsAreNoTrouble) {
  Redactor redactor(kAll);
  redactor.know({"n1"}, {});
  EXPECT_EQ(redactor.text("\xff\xfe n1 \x80"), "\xff\xfe node-01 \x80");
  EXPECT_EQ(redactor.text(""), "");
  const std::string big(1 << 20, 'a');
  EXPECT_EQ(redactor.text(big).size(), big.size());
}

constexpr const char* kCanaries[] = {"canary-host",   "canaryuser", "/canary/secret/dir", "10.66.66.66", "hf_CanaryCanaryCanary1",
                                     "CanaryProject", "cafe0000",   "canaryset"};

TEST(Redaction, NoCanaryOfAStoreIsInAnyReportOfIt) {
  test::TempFolder folder;
  constexpr TimeNs kBegin = 1'700'000'000LL * kNsPerSecond;
  {
    auto writer = openStore(folder.file("s.rgl")).writer().value();
    const std::string all =
        "canary-host canary-host.corp.example user=canaryuser /canary/secret/dir/CanaryProject 10.66.66.66 hf_CanaryCanaryCanary1";
    const RunId run =
        writer->run({.uuid = "u", .name = "train /home/canaryuser/x on canary-host", .start = kBegin, .end = kBegin + 100 * kNsPerSecond});
    const NodeId node = writer->node({.uuid = "name:canary-host", .name = "canary-host"});
    const AttemptId attempt = writer->attempt({.run = run,
                                               .key = all,
                                               .start = kBegin,
                                               .end = kBegin + 100 * kNsPerSecond,
                                               .end_cause = all,
                                               .planned = false,
                                               .layout = {.world = 1}});
    writer->rank({.attempt = attempt, .rank = 0, .node = node});
    writer->fact({.attempt = attempt, .key = "argv", .value = "train.py --data /canary/secret/dir/CanaryProject " + all});
    writer->fact({.attempt = attempt, .node = node, .key = "HOSTNAME", .value = "canary-host"});
    writer->fact({.attempt = attempt, .key = "USER", .value = "canaryuser"});
    writer->fact({.attempt = attempt, .key = "on canary-host", .value = "1"});
    writer->fact({.attempt = attempt, .node = node, .key = "gpu_uuids", .value = "GPU-cafe0000-1234-1234-1234-123456789abc"});
    writer->fact({.attempt = attempt, .key = "SLURM_JOB_NODELIST", .value = "canaryset[1-4]"});
    writer->event({.time = kBegin + kNsPerSecond,
                   .attempt = attempt,
                   .node = node,
                   .kind = "canary-host",
                   .severity = Severity::kCritical,
                   .code = "canary-host",
                   .message = "x"});
    writer->event({.time = kBegin + kNsPerSecond,
                   .attempt = attempt,
                   .node = node,
                   .kind = "xid",
                   .severity = Severity::kCritical,
                   .code = "79",
                   .message = all});
    writer->log({.time = kBegin + kNsPerSecond,
                 .attempt = attempt,
                 .node = node,
                 .stream = "/canary/secret/dir/log",
                 .severity = Severity::kError,
                 .text = all});
    writer->checkpoint({.attempt = attempt, .step = 1, .begin = kBegin, .path = "/canary/secret/dir/CanaryProject/1"});
    Finding fault{.run = run,
                  .attempt = attempt,
                  .kind = "hardware_fault",
                  .subject = "node:canary-host",
                  .severity = Severity::kError,
                  .start = kBegin,
                  .end = kBegin + kNsPerSecond,
                  .node = node,
                  .summary = all,
                  .evidence = R"({"nodes":["canary-host"],"path":"/canary/secret/dir/CanaryProject","why":"canaryuser"})",
                  .published = kBegin};
    writer->finding(fault);
    fault.severity = Severity::kCritical;
    fault.published.reset();
    writer->finding(fault);
    writer->issue({.code = "clock_jump", .source = all, .count = 1, .first = kBegin, .last = kBegin + kNsPerSecond, .detail = all});
    ASSERT_TRUE(writer->flush().ok());
    ASSERT_TRUE(writer->edit(runglass::Note{.run_uuid = "u", .time = kBegin, .author = "canaryuser", .text = all}).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  const auto reader = openStore(folder.file("s.rgl")).reader().value();
  Redactor redactor(kAll);
  ASSERT_TRUE(learnNames(*reader, redactor).ok());
  RedactedReader redacted(*reader, redactor);
  const Question questions[] = {{.run = reader->runs()->front().id, .pseudonyms = true}, {.finding = 1, .pseudonyms = true}};
  for (const Question& question : questions) {
    const auto plain = readReport(*reader, question, {});
    const auto document = readReport(redacted, question, {});
    ASSERT_TRUE(plain.ok() && document.ok());
    std::string all = reportHtml(*document) + reportMarkdown(*document) + reportJson(*document);
    for (const Table* table : tablesOf(*document)) all += tableCsv(*table);
    for (const char* canary : kCanaries) {
      EXPECT_THAT(all, Not(HasSubstr(canary)));
      EXPECT_THAT(reportJson(*plain), HasSubstr(canary)) << "the test plants it nowhere that is told";
    }
  }
  std::vector<std::string> said;
  ASSERT_TRUE(redacted
                  .query("SELECT text FROM log_line UNION ALL SELECT summary FROM finding UNION ALL SELECT node FROM node",
                         {.columns = {},
                          .row =
                              [&](const std::vector<SqlValue>& row) {
                                said.push_back(std::get<std::string>(row[0]));
                                return true;
                              }},
                         {})
                  .ok());
  ASSERT_EQ(said.size(), 3U);
  const auto published = redacted.publishedFindings(std::nullopt).value();
  for (const Finding& one : published) said.push_back(one.summary + one.subject + one.evidence);
  ASSERT_EQ(said.size(), 4U) << "and what the finding said before";
  for (const std::string& one : said)
    for (const char* canary : kCanaries) EXPECT_THAT(one, Not(HasSubstr(canary)));
}

TEST(Redaction, ClassesAreReadFromText) {
  EXPECT_EQ(redactClassesFromText("hosts,tokens"), (std::set{RedactClass::kHosts, RedactClass::kTokens}));
  EXPECT_EQ(redactClassesFromText("all")->size(), kRedactClasses);
  EXPECT_EQ(redactClassesFromText("")->size(), 0U);
  EXPECT_FALSE(redactClassesFromText("hosts,names").has_value());
}

}  // namespace
}  // namespace runglass::report
