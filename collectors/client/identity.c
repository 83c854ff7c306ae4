/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: equal environments give equal run and attempt on every rank; neither depends on the process (pid, rank). */
#define _GNU_SOURCE
#include "collectors/client/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/client/foreign_identity.h"

/* Whose identity is asked for. */
struct process {
  long pid;
  const char *environ_text; /* NUL: this process, whose environment is getenv's */
  size_t bytes;
};

static const char *env(const struct process *of, const char *name) {
  if (!name) return NULL;
  const char *value = of->environ_text ? NULL : getenv(name);
  const size_t length = strlen(name);
  for (size_t i = 0; of->environ_text && !value && i < of->bytes; i += strlen(of->environ_text + i) + 1)
    if (strncmp(of->environ_text + i, name, length) == 0 && of->environ_text[i + length] == '=') value = of->environ_text + i + length + 1;
  return value && *value ? value : NULL;
}

static int64_t envNumber(const struct process *of, const char *name) {
  const char *value = env(of, name);
  if (!value) return RG_NONE;
  char *end;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  return errno || *end || end == value || number < 0 ? RG_NONE : number;
}

static void copy(char *to, size_t bytes, const char *from) {
  const size_t n = strnlen(from, bytes - 1);
  memcpy(to, from, n);
  to[n] = 0;
}

/* The first row whose rank is set wins: the variables set closest to the process come first, those of one process per host last. */
static const struct {
  const char *rank, *world, *local;
} kRanks[] = {
    {"RUNGLASS_RANK", "RUNGLASS_WORLD_SIZE", "RUNGLASS_LOCAL_RANK"},
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},  /* torchrun, Ray Train, PyTorchJob, Azure ML */
    {"RANK_ID", "RANK_SIZE", "DEVICE_ID"}, /* Ascend launchers */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"VC_TASK_INDEX", "VC_WORKER_NUM", NULL},
    {"VC_TASK_INDEX", "MA_NUM_HOSTS", NULL},
    {"VK_TASK_INDEX", NULL, NULL},
    {"JOB_COMPLETION_INDEX", NULL, NULL},
};

/* SM_HOSTS is a JSON list of plain names. */
static void sagemakerRank(const struct process *of, struct rgr_identity *identity) {
  const char *hosts = env(of, "SM_HOSTS"), *current = env(of, "SM_CURRENT_HOST");
  if (!hosts || !current) return;
  int64_t index = 0, found = RG_NONE;
  const size_t bytes = strlen(current);
  for (const char *at = strchr(hosts, '"'); at; at = strchr(at, '"')) {
    const char *end = strchr(++at, '"');
    if (!end) return;
    if ((size_t)(end - at) == bytes && memcmp(at, current, bytes) == 0) found = index;
    ++index;
    at = end + 1;
  }
  if (found != RG_NONE) identity->rank = found, identity->world = index;
}

static void fillRank(const struct process *of, struct rgr_identity *identity, const struct rg_options *options) {
  for (size_t i = 0; i < sizeof(kRanks) / sizeof(kRanks[0]) && identity->rank == RG_NONE; ++i) {
    const int64_t rank = envNumber(of, kRanks[i].rank), world = envNumber(of, kRanks[i].world);
    if (rank == RG_NONE || (kRanks[i].world && world == RG_NONE)) continue;
    identity->rank = rank;
    identity->world = world;
    identity->local_rank = envNumber(of, kRanks[i].local);
  }
  if (identity->rank == RG_NONE) sagemakerRank(of, identity);
  if (options->rank != RG_NONE) identity->rank = options->rank;
  if (options->world != RG_NONE) identity->world = options->world;
  if (options->local_rank != RG_NONE) identity->local_rank = options->local_rank;
}

/* Variables that identify a launch of a job, outermost first. All that are set are joined. */
static const struct {
  const char *variable, *label;
  int names_job;
} kLaunch[] = {
    {"SLURM_JOB_ID", "slurm", 1},
    {"SLURM_STEP_ID", "step", 0},
    {"SLURM_RESTART_COUNT", "requeue", 0},
    {"TRAINING_JOB_NAME", "sagemaker", 1},
    {"AZUREML_RUN_ID", "azureml", 1},
    {"MA_VJ_NAME", "modelarts", 1},
    {"JOBSET_NAME", "jobset", 1},
    {"JOBSET_RESTART_ATTEMPT", "restart", 0},
    {"RAY_JOB_ID", "ray", 1},
    {"PMIX_NAMESPACE", "mpi", 1},
    {"TORCHELASTIC_RUN_ID", "elastic", 1},
    {"TORCHELASTIC_RESTART_COUNT", "elastic_restart", 0},
};

static const char *launchValue(const struct process *of, const char *variable) {
  const char *value = env(of, variable);
  /* torchrun without --rdzv-id sets "none". */
  return value && strcmp(variable, "TORCHELASTIC_RUN_ID") == 0 && strcmp(value, "none") == 0 ? NULL : value;
}

struct process_stat {
  long parent, group, session;
  unsigned long long start_ticks;
};

static int readStat(long pid, struct process_stat *stat) {
  char path[64], text[1024];
  snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  const char *after = strrchr(text, ')'); /* the name may hold spaces and brackets */
  return after && sscanf(after + 1, " %*c %ld %ld %ld %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &stat->parent,
                         &stat->group, &stat->session, &stat->start_ticks) == 4
             ? 0
             : -1;
}

/* The process whose start identifies this launch without a scheduler: the launcher that all ranks of the node share. A session leader
 * that is the parent is probably a login shell: then the process group, which a shell creates for each command. */
static unsigned long long launcherStart(const struct process *of, long *launcher) {
  struct process_stat self, parent, group;
  *launcher = of->pid;
  if (readStat(of->pid, &self) != 0) return 0;
  if (self.parent > 0 && readStat(self.parent, &parent) == 0 && (parent.session != self.parent || self.session == of->pid)) {
    *launcher = self.parent;
    return parent.start_ticks;
  }
  if (readStat(self.group, &group) == 0) {
    *launcher = self.group;
    return group.start_ticks;
  }
  return self.start_ticks;
}

static void fillAttempt(const struct process *of, struct rgr_identity *identity, const struct rg_options *options) {
  const char *given = options->attempt ? options->attempt : env(of, "RUNGLASS_ATTEMPT");
  if (given) {
    copy(identity->attempt, sizeof(identity->attempt), given);
    return;
  }
  size_t at = 0;
  int has_job = 0;
  for (size_t i = 0; i < sizeof(kLaunch) / sizeof(kLaunch[0]); ++i) {
    const char *value = launchValue(of, kLaunch[i].variable);
    if (!value || at >= sizeof(identity->attempt)) continue;
    has_job |= kLaunch[i].names_job;
    at += (size_t)snprintf(identity->attempt + at, sizeof(identity->attempt) - at, "%s%s=%s", at ? " " : "", kLaunch[i].label, value);
  }
  if (has_job || at >= sizeof(identity->attempt)) return;
  long launcher;
  const unsigned long long start = launcherStart(of, &launcher);
  snprintf(identity->attempt + at, sizeof(identity->attempt) - at, "%slauncher=%ld start=%llu", at ? " " : "", launcher, start);
}

size_t rg_read_argv(long pid, char *buffer, size_t bytes) {
  char path[64] = "/proc/self/cmdline";
  if (pid) snprintf(path, sizeof(path), "/proc/%ld/cmdline", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t done = 0;
  ssize_t n;
  while (done < bytes - 1 && (n = read(fd, buffer + done, bytes - 1 - done)) > 0) done += (size_t)n;
  close(fd);
  buffer[done] = 0;
  return done;
}

static void scriptName(const struct process *of, char *to, size_t bytes) {
  char argv[4096];
  const size_t n = rg_read_argv(of->environ_text ? of->pid : 0, argv, sizeof(argv));
  const char *script = "run";
  for (size_t i = 0; i < n; i += strlen(argv + i) + 1) {
    const size_t length = strlen(argv + i);
    if (i == 0) script = argv;
    if (length > 3 && strcmp(argv + i + length - 3, ".py") == 0) {
      script = argv + i;
      break;
    }
    if (i > 0 && argv[i] != '-') break;
  }
  const char *slash = strrchr(script, '/');
  copy(to, bytes, slash ? slash + 1 : script);
  char *dot = strrchr(to, '.');
  if (dot && strcmp(dot, ".py") == 0) *dot = 0;
}

/* Boot time in whole seconds as the kernel prints it: the same number for every process. */
static long long bootSeconds(void) {
  FILE *file = fopen("/proc/stat", "re");
  char line[256];
  long long seconds = 0;
  while (file && fgets(line, sizeof(line), file))
    if (sscanf(line, "btime %lld", &seconds) == 1) break;
  if (file) fclose(file);
  return seconds;
}

static void fallbackRun(const struct process *of, struct rgr_identity *identity) {
  char script[64];
  scriptName(of, script, sizeof(script));
  long launcher;
  const long ticks = sysconf(_SC_CLK_TCK);
  const time_t start = (time_t)(bootSeconds() + (long long)(launcherStart(of, &launcher) / (unsigned long long)(ticks > 0 ? ticks : 100)));
  struct tm broken;
  gmtime_r(&start, &broken);
  char when[32];
  strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &broken);
  snprintf(identity->run, sizeof(identity->run), "%s-%s", script, when);
}

static void fillRun(const struct process *of, struct rgr_identity *identity, const struct rg_options *options) {
  const char *given = options->run ? options->run : env(of, "RUNGLASS_RUN");
  if (given) {
    copy(identity->run, sizeof(identity->run), given);
    return;
  }
  const char *job = env(of, "SLURM_JOB_ID");
  if (job) {
    const char *name = env(of, "SLURM_JOB_NAME");
    snprintf(identity->run, sizeof(identity->run), "%s-%s", name ? name : "slurm", job);
    return;
  }
  static const char *const kNames[] = {"TRAINING_JOB_NAME", "AZUREML_RUN_ID", "MA_VJ_NAME", "JOBSET_NAME", "TORCHELASTIC_RUN_ID"};
  for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]) && !given; ++i) given = launchValue(of, kNames[i]);
  if (given) {
    copy(identity->run, sizeof(identity->run), given);
    return;
  }
  const char *index = env(of, "JOB_COMPLETION_INDEX"), *host = env(of, "HOSTNAME");
  if (index && host) { /* pods of an indexed job are <job>-<index> */
    const size_t host_bytes = strlen(host), index_bytes = strlen(index);
    if (host_bytes > index_bytes + 1 && strcmp(host + host_bytes - index_bytes, index) == 0 && host[host_bytes - index_bytes - 1] == '-') {
      snprintf(identity->run, sizeof(identity->run), "%.*s", (int)(host_bytes - index_bytes - 1), host);
      return;
    }
  }
  if ((given = env(of, "RAY_JOB_ID")))
    snprintf(identity->run, sizeof(identity->run), "ray-%s", given);
  else if ((given = env(of, "PMIX_NAMESPACE")))
    snprintf(identity->run, sizeof(identity->run), "mpi-%s", given);
  else
    fallbackRun(of, identity);
}

static void fill(const struct process *of, struct rgr_identity *identity, const struct rg_options *options) {
  memset(identity, 0, sizeof(*identity));
  identity->rank = identity->world = identity->local_rank = RG_NONE;
  identity->rank_tp = identity->rank_pp = identity->rank_dp = identity->rank_cp = identity->rank_ep = -1;
  copy(identity->order, sizeof(identity->order), "tp-cp-ep-dp-pp");
  fillRank(of, identity, options);
  fillRun(of, identity, options);
  fillAttempt(of, identity, options);
  if (options->framework) copy(identity->framework, sizeof(identity->framework), options->framework);
}

void rg_identity_fill(struct rgr_identity *identity, const struct rg_options *options) {
  const struct process self = {.pid = getpid()};
  fill(&self, identity, options);
}

void rg_identity_of(struct rgr_identity *identity, long pid, const char *environ_text, size_t bytes) {
  const struct process other = {pid, environ_text, bytes};
  const struct rg_options options = RG_OPTIONS_INIT;
  fill(&other, identity, &options);
}
