/* SPDX-License-Identifier: Apache-2.0 */
/* bin/NAME of the relocatable folder: starts libexec/NAME with the loader and the libraries in the same folder tree, not the host's.
 *
 * The process becomes the loader.
 * Errors:     one sentence to stderr and exit status 127, as in a shell that cannot start a program.
 * Cost:       a readlink and an execve. Linked statically: it needs no file of the host and no shell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static int refuse(const char *name, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return 127;
}

/* Symbolic links are resolved, so one in /usr/local/bin works. Without /proc, the kernel still passes the started path (AT_EXECFN). */
static int findSelf(char *path) {
  const ssize_t bytes = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (bytes > 0) return path[bytes] = '\0', 1;
  const char *asked = (const char *)getauxval(AT_EXECFN);
  return asked && realpath(asked, path) != NULL;
}

int main(int argc, char **argv) {
  const char *said = argc > 0 ? argv[0] : "runglass";
  char self[PATH_MAX], loader[PATH_MAX + 32], program[PATH_MAX + 32], libraries[PATH_MAX + 32];
  if (!findSelf(self)) return refuse(said, "cannot find its folder: %s", strerror(errno));
  char *name = strrchr(self, '/');
  if (!name || name == self) return refuse(said, "%s: is not in the folder bin of its tools", self);
  *name++ = '\0';
  char *bin = strrchr(self, '/');
  if (!bin || strcmp(bin, "/bin") != 0) return refuse(said, "%s/%s: is not in the folder bin of its tools", self, name);
  *bin = '\0';
  /* Characters that the loader treats as a separator of folders or as a variable. */
  if (strpbrk(self, ":;$")) return refuse(said, "cannot run from %s: the path has one of : ; $", self);

  /* The link to the loader is named like the program, so that ps -C, pgrep and top show that name. */
  snprintf(loader, sizeof(loader), "%s/libexec/loader/%s", self, name);
  snprintf(program, sizeof(program), "%s/libexec/%s", self, name);
  snprintf(libraries, sizeof(libraries), "%s/lib", self);
  char **arguments = calloc((size_t)argc + 7, sizeof(*arguments));
  if (!arguments) return refuse(said, "out of memory");
  size_t count = 0;
  arguments[count++] = (char *)said;
  arguments[count++] = (char *)"--library-path"; /* instead of LD_LIBRARY_PATH, which stays unchanged for child processes */
  arguments[count++] = libraries;
  arguments[count++] = (char *)"--argv0";
  arguments[count++] = (char *)said;
  arguments[count++] = program;
  for (int i = 1; i < argc; ++i) arguments[count++] = argv[i];

  /* Built for the host's C library, which is a different one. */
  unsetenv("LD_PRELOAD");
  unsetenv("LD_AUDIT");
  execv(loader, arguments);
  return refuse(said, "cannot start %s: %s", loader, strerror(errno));
}
