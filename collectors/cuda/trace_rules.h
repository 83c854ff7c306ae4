/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the traced steps and the mode: from the environment, the program (runglass_cuda.h) and commands.
 *
 * Threading:  any; the last request counts.
 * Units:      steps.
 * Errors:     invalid values in the environment are ignored.
 */
#ifndef RUNGLASS_CUDA_TRACE_RULES_H
#define RUNGLASS_CUDA_TRACE_RULES_H

#include <stdint.h>

/* A step begins, or RG_NONE: a step ended. */
void rgc_on_step(int64_t step);
void rgc_choose_launch_mode(int64_t step, int step_is_new);
/* Traces also the steps [first, first + steps); replaces an earlier window. */
void rgc_trace_window(int64_t first, int64_t steps);
/* Applies the requests of the environment that take effect at once. */
void rgc_want_from_environment(void);
/* The whole number in a variable, within the bounds; `otherwise` if it is not one. */
int64_t rgc_environment_number(const char *name, int64_t otherwise, int64_t least, int64_t most);

#endif
