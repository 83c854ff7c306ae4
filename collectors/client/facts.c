/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: no value with a secret-looking name leaves the process, neither from the environment nor from the command line. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/client/identity.h"

extern char **environ;

enum { kMaxDevices = 64, kNameBytes = 64 };

static int contains(const char *upper, const char *part) { return strstr(upper, part) != NULL; }

int rg_looks_secret(const char *name, size_t bytes) {
  static const char *const kParts[] = {"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTH"};
  char upper[256];
  if (bytes >= sizeof(upper)) return 1;
  for (size_t i = 0; i < bytes; ++i) upper[i] = (char)toupper((unsigned char)name[i]);
  upper[bytes] = 0;
  if (strcmp(upper, "KEY") == 0 || (bytes > 4 && strcmp(upper + bytes - 4, "_KEY") == 0)) return 1;
  for (size_t i = 0; i < sizeof(kParts) / sizeof(kParts[0]); ++i)
    if (contains(upper, kParts[i])) return 1;
  return 0;
}

void rg_fact_put(struct rg_ring *ring, int automatic, const char *key, const char *value) {
  struct rgr_text fixed = {.time = rg_clock(CLOCK_MONOTONIC)};
  size_t key_bytes = strlen(key), value_bytes = strlen(value);
  if (rg_looks_secret(key, key_bytes)) return;
  if (value_bytes > 4096) value_bytes = 4096;
  fixed.first_bytes = (uint32_t)key_bytes;
  fixed.second_bytes = (uint32_t)value_bytes;
  rg_ring_put(ring, RGR_FACT, automatic, 0, &fixed, sizeof(fixed), key, key_bytes, value, value_bytes);
}

/* "--api-key X" and "--api-key=X" become "--api-key ***". Dashes count as underscores. */
static size_t optionName(const char *word, char *name, size_t bytes) {
  while (*word == '-') ++word;
  size_t n = 0;
  for (; word[n] && word[n] != '=' && n < bytes; ++n) name[n] = word[n] == '-' ? '_' : word[n];
  return n;
}

static void sendArgv(struct rg_ring *ring) {
  char words[8192], line[4096], name[256];
  const size_t n = rg_read_argv(0, words, sizeof(words));
  size_t at = 0;
  int mask_next = 0;
  for (size_t i = 0; i < n && at < sizeof(line) - 1; i += strlen(words + i) + 1) {
    const char *word = words + i;
    const char *equals = strchr(word, '=');
    const int named = word[0] == '-' || equals;
    const int secret = named && rg_looks_secret(name, optionName(word, name, sizeof(name)));
    if (mask_next && word[0] != '-')
      at += (size_t)snprintf(line + at, sizeof(line) - at, "%s***", at ? " " : "");
    else if (secret && equals)
      at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%.*s=***", at ? " " : "", (int)(equals - word), word);
    else
      at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s", at ? " " : "", word);
    mask_next = secret && !equals;
  }
  rg_fact_put(ring, 1, "argv", line);
}

static size_t readLine(const char *path, char *line, size_t bytes) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, line, bytes - 1);
  if (fd >= 0) close(fd);
  line[n > 0 ? n : 0] = 0;
  return n > 0 ? (size_t)n : 0;
}

static int byText(const void *a, const void *b) { return strcmp(a, b); }

/* The names in a folder, sorted, so that devices are in the order of their bus addresses. */
static int listFolder(const char *path, char names[][kNameBytes], int most) {
  DIR *folder = opendir(path);
  int count = 0;
  if (!folder) return 0;
  for (struct dirent *entry; count < most && (entry = readdir(folder));)
    if (entry->d_name[0] != '.' && strlen(entry->d_name) < kNameBytes) strcpy(names[count++], entry->d_name);
  closedir(folder);
  qsort(names, (size_t)count, kNameBytes, byText);
  return count;
}

static void append(char *text, size_t bytes, const char *format, ...) {
  const size_t at = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  if (at < bytes) vsnprintf(text + at, bytes - at, format, arguments);
  va_end(arguments);
}

static void join(char *path, size_t bytes, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path, bytes, format, arguments);
  va_end(arguments);
}

/* Lists the GPUs from the kernel driver's files, without CUDA. */
void rg_list_gpus(const char *root, char *text, size_t bytes) {
  char names[kMaxDevices][kNameBytes], path[512], information[2048];
  text[0] = 0;
  join(path, sizeof(path), "%s/proc/driver/nvidia/gpus", root);
  const int count = listFolder(path, names, kMaxDevices);
  for (int i = 0; i < count; ++i) {
    join(path, sizeof(path), "%s/proc/driver/nvidia/gpus/%s/information", root, names[i]);
    readLine(path, information, sizeof(information));
    const char *uuid = strstr(information, "GPU UUID:");
    if (!uuid) continue;
    uuid += strlen("GPU UUID:");
    uuid += strspn(uuid, " \t");
    append(text, bytes, "%s%.*s", text[0] ? "," : "", (int)strcspn(uuid, " \t\r\n"), uuid);
  }
}

/* RDMA devices with state and rate of their first port, then the interfaces that are up. */
void rg_list_nics(const char *root, char *text, size_t bytes) {
  static const char *const kVirtual[] = {"lo", "docker", "veth", "br-", "virbr", "cni", "flannel", "cali", "tunl", "tap"};
  char names[kMaxDevices][kNameBytes], path[512], state[64], rate[64];
  text[0] = 0;
  join(path, sizeof(path), "%s/sys/class/infiniband", root);
  int count = listFolder(path, names, kMaxDevices);
  for (int i = 0; i < count; ++i) {
    join(path, sizeof(path), "%s/sys/class/infiniband/%s/ports/1/state", root, names[i]);
    readLine(path, state, sizeof(state));
    join(path, sizeof(path), "%s/sys/class/infiniband/%s/ports/1/rate", root, names[i]);
    readLine(path, rate, sizeof(rate));
    const char *word = strchr(state, ' '); /* "4: ACTIVE" */
    append(text, bytes, "%s%s", text[0] ? ", " : "", names[i]);
    if (word) append(text, bytes, " %.*s", (int)strcspn(word + 1, "\n"), word + 1);
    if (rate[0]) append(text, bytes, " %.*s", (int)strcspn(rate, "\n"), rate);
  }
  join(path, sizeof(path), "%s/sys/class/net", root);
  count = listFolder(path, names, kMaxDevices);
  for (int i = 0; i < count; ++i) {
    int virtual = 0;
    for (size_t k = 0; k < sizeof(kVirtual) / sizeof(kVirtual[0]); ++k) virtual |= strncmp(names[i], kVirtual[k], strlen(kVirtual[k])) == 0;
    join(path, sizeof(path), "%s/sys/class/net/%s/operstate", root, names[i]);
    readLine(path, state, sizeof(state));
    if (!virtual && strncmp(state, "up", 2) == 0) append(text, bytes, "%s%s", text[0] ? ", " : "", names[i]);
  }
}

void rg_facts_send(struct rg_ring *ring) {
  static const char *const kPrefixes[] = {"NCCL_", "TORCH", "PYTORCH_", "CUDA_", "NVTE_", "OMP_",    "MKL_",    "GLOO_",      "UCX_",
                                          "FI_",   "HCCL_", "RCCL_",    "ROCR_", "HIP_",  "ASCEND_", "MASTER_", "SLURM_JOB_", "XLA_"};
  char text[4096];
  sendArgv(ring);
  if (getcwd(text, sizeof(text))) rg_fact_put(ring, 1, "cwd", text);
  if (gethostname(text, sizeof(text)) == 0) rg_fact_put(ring, 1, "hostname", text);
  rg_list_gpus("", text, sizeof(text));
  if (text[0]) rg_fact_put(ring, 1, "gpu_uuids", text);
  rg_list_nics("", text, sizeof(text));
  if (text[0]) rg_fact_put(ring, 1, "nics", text);
  for (char **entry = environ; entry && *entry; ++entry) {
    const char *equals = strchr(*entry, '=');
    if (!equals || equals - *entry >= 200) continue;
    for (size_t i = 0; i < sizeof(kPrefixes) / sizeof(kPrefixes[0]); ++i) {
      if (strncmp(*entry, kPrefixes[i], strlen(kPrefixes[i])) != 0) continue;
      snprintf(text, sizeof(text), "%.*s", (int)(equals - *entry), *entry);
      rg_fact_put(ring, 1, text, equals + 1);
      break;
    }
  }
}
