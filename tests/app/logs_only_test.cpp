// SPDX-License-Identifier: GPL-3.0-or-later
// A job that died and left only its log; and a trainer whose output is piped to a hub.
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// The output of BLOOM's trainer, without times: its 149 TFLOPs fell to 140, and later a rank ran out of memory.
std::string bloom() {
  std::string log = "using world size: 384, data-parallel-size: 8, tensor-model-parallel size: 4, pipeline-model-parallel size: 12\n";
  for (int step = 1; step <= 900; ++step) {
    const double tflops = (step > 500 ? 140.0 : 149.0) * (1 + 0.002 * ((step * 7919) % 11 - 5) / 5.0);
    log += " iteration " + std::to_string(step) + "/ 115311 | consumed samples: " + std::to_string(step * 2048) +
           " | elapsed time per iteration (s): " + std::to_string(104.3 * 149 / tflops) +
           " | learning rate: 6.000E-05 | global batch size: 2048 | lm loss: 2.1E+00 | TFLOPs: " + std::to_string(tflops) + " |\n";
  }
  return log +
         "[rank3]: Traceback (most recent call last):\n"
         "[rank3]:   File \"pretrain_gpt.py\", line 245, in <module>\n"
         "[rank3]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
         "[rank7]: Traceback (most recent call last):\n"
         "[rank7]:   File \"pretrain_gpt.py\", line 245, in <module>\n"
         "[rank7]: torch.distributed.DistBackendError: NCCL communicator was aborted\n";
}

class LogsOnly : public CtlFixture {};

TEST_F(LogsOnly, AJobThatDiedIsExplainedByItsLog) {
  std::ofstream(m_folder.file("bloom.log")) << bloom();
  ASSERT_EQ(ctl({"import", "--store", m_store, m_folder.file("bloom.log")}).exit, 0);
  const Outcome analyzed = ctl({"analyze", "--store", m_store});
  EXPECT_THAT(analyzed.out, testing::ContainsRegex("throughput_shift, run: Steps take 6\\.[45] % longer since step 501"));
  EXPECT_THAT(analyzed.out, HasSubstr("job_failed, attempt:0: Rank 3 failed first: torch.cuda.OutOfMemoryError: CUDA out of memory."));
  EXPECT_THAT(query("SELECT count(*) FROM step WHERE dur_ns > 104000000000").out, HasSubstr("900"));
  const Json status = Json::parse(ctl({"status", "--store", m_store, "--json"}).out, nullptr, false);
  const Json run = status.contains("run") ? status["run"] : status;
  EXPECT_NEAR(run.value("flops_per_s_per_gpu", 0.0), 140e12, 1e12) << status.dump(1);
  EXPECT_NEAR(run.value("throughput_change_ratio", 0.0), -0.06, 0.01);
  const std::string finding = query("SELECT evidence FROM finding WHERE kind = 'job_failed'").out;
  EXPECT_THAT(finding, HasSubstr("pretrain_gpt.py"));
}

TEST_F(LogsOnly, TheOutputOfATrainerIsPassedOnAndSentToAHub) {
  const pid_t hub = start({"serve", "--store", m_store, "--listen", "127.0.0.1:0"});
  const std::string address = hubAddress(m_folder.file("stdout"));
  const std::string passed = m_folder.file("passed");
  const std::string command = "(echo 'step=1 loss=2.5'; echo 'step=2 loss=2.25'; echo 'ValueError') | XDG_STATE_HOME=" + m_folder.path() +
                              " " RG_BIN_DIR "/runglassctl tail --hub " + address + " --run piped > " + passed;
  EXPECT_EQ(std::system(command.c_str()), 0);
  ::kill(hub, SIGTERM);
  int status = 0;
  ::waitpid(hub, &status, 0);
  EXPECT_EQ(contentOf(passed), "step=1 loss=2.5\nstep=2 loss=2.25\nValueError\n");
  EXPECT_THAT(query("SELECT step, value, name FROM scalar JOIN run USING(run_id)").out, HasSubstr("1,2.5,piped\n2,2.25,piped"));
  EXPECT_THAT(query("SELECT end_cause FROM attempt").out, HasSubstr("end of output"));
}

TEST_F(LogsOnly, InputOfWhichNothingIsRecordedIsReported) {
  const pid_t hub = start({"serve", "--store", m_store, "--listen", "127.0.0.1:0"});
  const std::string errors = m_folder.file("errors");
  const std::string command = "head -c 300000 /dev/urandom | XDG_STATE_HOME=" + m_folder.path() +
                              " " RG_BIN_DIR "/runglassctl tail --hub " + hubAddress(m_folder.file("stdout")) + " --run noise --quiet 2> " +
                              errors;
  EXPECT_EQ(std::system(command.c_str()), 0);
  ::kill(hub, SIGTERM);
  int status = 0;
  ::waitpid(hub, &status, 0);
  EXPECT_THAT(contentOf(errors), HasSubstr("nothing was recorded"));
  EXPECT_THAT(query("SELECT count(*) FROM run WHERE name = 'noise'").out, HasSubstr("0"));
}

}  // namespace
}  // namespace runglass
