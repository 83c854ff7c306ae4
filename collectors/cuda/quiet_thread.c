/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: signals are handled by the trainer's threads only. */
#define _GNU_SOURCE
#include "collectors/cuda/quiet_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "collectors/cuda/old_symbols.h"

RGC_OLD_SYMBOL(pthread_create);

int rgc_start_thread(void *(*run)(void *)) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  /* On Linux sigprocmask applies to the calling thread; pthread_sigmask moved in 2.32. */
  sigprocmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const int failed = pthread_create(&thread, &attributes, run, NULL);
  pthread_attr_destroy(&attributes);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return !failed;
}
