// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "collectors/client/foreign_identity.h"
#include "model/topology.h"
#include "tests/collectors/client/trainer_process.h"

// collectors/client/identity.h is C only.
extern "C" int rg_looks_secret(const char* name, std::size_t bytes);
extern "C" void rg_list_gpus(const char* root, char* text, std::size_t bytes);
extern "C" void rg_list_nics(const char* root, char* text, std::size_t bytes);

namespace runglass::test {
namespace {

using Environment = std::vector<std::pair<const char*, const char*>>;

// What a process started with exactly this environment says about itself; an agent that sees its environment takes it for the same.
rgr_identity identityIn(const Environment& environment) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    clearenv();
    for (const auto& [name, value] : environment) setenv(name, value, 1);
    rg_options options = RG_OPTIONS_INIT;
    options.dir = dir.path().c_str();
    if (rg_init(&options) != 0) _exit(3);
    std::string environ_text;
    for (const auto& [name, value] : environment) environ_text.append(name).append("=").append(value).push_back('\0');
    rgr_identity seen;
    rg_identity_of(&seen, getpid(), environ_text.data(), environ_text.size());
    std::ofstream(dir.path() + "/seen", std::ios::binary).write(reinterpret_cast<const char*>(&seen), sizeof(seen)).flush();
    _exit(0);
  });
  EXPECT_EQ(trainer.wait(), 0);
  auto reader = RingReader::open(dir.ring());
  EXPECT_TRUE(reader.ok());
  rgr_identity seen{};
  std::ifstream(dir.path() + "/seen", std::ios::binary).read(reinterpret_cast<char*>(&seen), sizeof(seen));
  if (reader.ok()) {
    const rgr_identity& own = (*reader)->header().identity;
    EXPECT_STREQ(seen.run, own.run);
    EXPECT_STREQ(seen.attempt, own.attempt);
    EXPECT_EQ(std::tie(seen.rank, seen.world, seen.local_rank), std::tie(own.rank, own.world, own.local_rank));
  }
  return reader.ok() ? (*reader)->header().identity : rgr_identity{};
}

struct LauncherCase {
  const char* launcher;
  Environment environment;
  std::int64_t rank, world, local_rank;
  const char *run, *attempt;
};

TEST(ClientIdentity, ComesFromEveryLauncherWeKnow) {
  const std::vector<LauncherCase> cases = {
      {"torchrun",
       {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"TORCHELASTIC_RUN_ID", "pretrain"}, {"TORCHELASTIC_RESTART_COUNT", "2"}},
       5,
       8,
       1,
       "pretrain",
       "elastic=pretrain elastic_restart=2"},
      {"slurm",
       {{"SLURM_PROCID", "3"},
        {"SLURM_NTASKS", "16"},
        {"SLURM_LOCALID", "3"},
        {"SLURM_JOB_ID", "991"},
        {"SLURM_JOB_NAME", "gpt"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_RESTART_COUNT", "1"}},
       3,
       16,
       3,
       "gpt-991",
       "slurm=991 step=0 requeue=1"},
      {"torchrun inside slurm: the inner launcher gives the rank, both give the attempt",
       {{"SLURM_PROCID", "1"},
        {"SLURM_NTASKS", "2"},
        {"SLURM_JOB_ID", "7"},
        {"RANK", "12"},
        {"WORLD_SIZE", "16"},
        {"LOCAL_RANK", "4"},
        {"TORCHELASTIC_RUN_ID", "none"},
        {"TORCHELASTIC_RESTART_COUNT", "0"}},
       12,
       16,
       4,
       "slurm-7",
       "slurm=7 elastic_restart=0"},
      {"open mpi",
       {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"PMIX_NAMESPACE", "9.1"}},
       2,
       4,
       0,
       "mpi-9.1",
       "mpi=9.1"},
      {"mpich",
       {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"RUNGLASS_RUN", "r"}, {"RUNGLASS_ATTEMPT", "b"}},
       1,
       2,
       1,
       "r",
       "b"},
      {"ray",
       {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}, {"RAY_JOB_ID", "02000000"}},
       0,
       2,
       0,
       "ray-02000000",
       "ray=02000000"},
      {"volcano",
       {{"VC_TASK_INDEX", "3"}, {"VC_WORKER_NUM", "4"}, {"RUNGLASS_RUN", "v"}, {"RUNGLASS_ATTEMPT", "0"}},
       3,
       4,
       RG_NONE,
       "v",
       "0"},
      {"kubernetes indexed job",
       {{"JOB_COMPLETION_INDEX", "2"}, {"HOSTNAME", "bert-2"}, {"RUNGLASS_ATTEMPT", "0"}},
       2,
       RG_NONE,
       RG_NONE,
       "bert",
       "0"},
      {"kubernetes job set",
       {{"JOB_COMPLETION_INDEX", "1"}, {"JOBSET_NAME", "moe"}, {"JOBSET_RESTART_ATTEMPT", "4"}},
       1,
       RG_NONE,
       RG_NONE,
       "moe",
       "jobset=moe restart=4"},
      {"sagemaker",
       {{"SM_HOSTS", "[\"algo-1\", \"algo-10\", \"algo-2\"]"}, {"SM_CURRENT_HOST", "algo-2"}, {"TRAINING_JOB_NAME", "sm-1"}},
       2,
       3,
       RG_NONE,
       "sm-1",
       "sagemaker=sm-1"},
      {"modelarts",
       {{"VC_TASK_INDEX", "1"}, {"MA_NUM_HOSTS", "2"}, {"MA_VJ_NAME", "modelarts-job-x"}},
       1,
       2,
       RG_NONE,
       "modelarts-job-x",
       "modelarts=modelarts-job-x"},
      {"ascend launcher on modelarts",
       {{"RANK_ID", "9"}, {"RANK_SIZE", "16"}, {"DEVICE_ID", "1"}, {"MA_VJ_NAME", "m"}, {"VC_TASK_INDEX", "1"}, {"MA_NUM_HOSTS", "2"}},
       9,
       16,
       1,
       "m",
       "modelarts=m"},
      {"azure ml",
       {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "3"}, {"AZUREML_RUN_ID", "exp_17"}},
       3,
       4,
       3,
       "exp_17",
       "azureml=exp_17"},
      {"ours wins",
       {{"RUNGLASS_RANK", "1"},
        {"RUNGLASS_WORLD_SIZE", "2"},
        {"RANK", "7"},
        {"WORLD_SIZE", "8"},
        {"RUNGLASS_RUN", "x"},
        {"RUNGLASS_ATTEMPT", "y"},
        {"SLURM_JOB_ID", "3"}},
       1,
       2,
       RG_NONE,
       "x",
       "y"},
      {"nonsense is no rank",
       {{"RANK", "-1"}, {"WORLD_SIZE", "eight"}, {"RUNGLASS_RUN", "x"}, {"RUNGLASS_ATTEMPT", "y"}},
       RG_NONE,
       RG_NONE,
       RG_NONE,
       "x",
       "y"},
  };
  for (const LauncherCase& test : cases) {
    SCOPED_TRACE(test.launcher);
    const rgr_identity identity = identityIn(test.environment);
    EXPECT_EQ(identity.rank, test.rank);
    EXPECT_EQ(identity.world, test.world);
    EXPECT_EQ(identity.local_rank, test.local_rank);
    EXPECT_STREQ(identity.run, test.run);
    EXPECT_STREQ(identity.attempt, test.attempt);
  }
}

TEST(ClientIdentity, IsTheSameForAllRanksOfALauncherWithoutANameAndNewForTheNextLauncher) {
  const auto launch = [] {
    // A launcher process that starts two ranks; their identities are returned over a pipe.
    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    TrainerProcess launcher([&] {
      for (const char* rank : {"0", "1"}) {
        const rgr_identity identity = identityIn({{"RANK", rank}, {"WORLD_SIZE", "2"}});
        const std::string text = std::string(identity.run) + " " + identity.attempt + "\n";
        if (write(pipe_ends[1], text.data(), text.size()) < 0) _exit(1);
      }
      _exit(0);
    });
    launcher.wait();
    close(pipe_ends[1]);
    char text[2048] = {};
    EXPECT_GT(read(pipe_ends[0], text, sizeof(text) - 1), 0);
    close(pipe_ends[0]);
    return std::string(text);
  };
  const std::string first = launch();
  usleep(30'000);  // another start time, even by a clock of 100 Hz
  const std::string second = launch();
  const std::size_t half = first.find('\n') + 1;
  EXPECT_EQ(first.substr(0, half), first.substr(half)) << "ranks of one launch disagree";
  EXPECT_NE(first, second);
}

TEST(ClientIdentity, CallsTheSameNamesSecretAsTheStoreDoes) {
  for (const char* name : {"WANDB_API_KEY", "HF_TOKEN", "MY_SECRET_X", "db_password", "KEY", "SSH_KEY", "AWS_ACCESS_KEY_ID", "OAUTH",
                           "NCCL_DEBUG", "KEYBOARD", "CUDA_VISIBLE_DEVICES", "MONKEY", "NCCL_IB_HCA", "TORCH_credentials", "apikey"})
    EXPECT_EQ(rg_looks_secret(name, std::strlen(name)) != 0, looksSecret(name)) << name;
}

TEST(Facts, NameTheGpusAndNicsOfTheNode) {
  const RingDirectory root;
  const auto put = [&](const std::string& path, const std::string& text) {
    const std::filesystem::path file = root.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  std::array<char, 512> text;
  rg_list_gpus(root.path().c_str(), text.data(), text.size());
  EXPECT_STREQ(text.data(), "") << "no driver";
  rg_list_nics(root.path().c_str(), text.data(), text.size());
  EXPECT_STREQ(text.data(), "");
  put("/proc/driver/nvidia/gpus/0000:3d:00.0/information", "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-bb\nBus Type: \t PCIe\n");
  put("/proc/driver/nvidia/gpus/0000:1a:00.0/information", "Model: \t\t NVIDIA H100\nIRQ: 12\nGPU UUID: \t GPU-aa\n");
  put("/proc/driver/nvidia/gpus/0000:ff:00.0/information", "damaged");
  put("/sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  put("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  put("/sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  for (const char* name : {"lo", "eth1", "docker0", "veth12"}) put(std::string("/sys/class/net/") + name + "/operstate", "up\n");
  put("/sys/class/net/eth0/operstate", "down\n");
  rg_list_gpus(root.path().c_str(), text.data(), text.size());
  EXPECT_STREQ(text.data(), "GPU-aa,GPU-bb");
  rg_list_nics(root.path().c_str(), text.data(), text.size());
  EXPECT_STREQ(text.data(), "mlx5_0 ACTIVE 400 Gb/sec (4X NDR), mlx5_1 DOWN, eth1");
  rg_list_nics(root.path().c_str(), text.data(), 8);
  EXPECT_STREQ(text.data(), "mlx5_0 ") << "cut, never beyond the buffer";
}

}  // namespace
}  // namespace runglass::test
