// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/kineto_category.h"

#include <algorithm>

namespace runglass {
namespace {

constexpr KinetoCategory kRules[] = {
    {"kernel", SpanCategory::kCompute, KinetoCategory::kGpu},
    {"Kernel", SpanCategory::kCompute, KinetoCategory::kGpu},
    {"gpu_memcpy", SpanCategory::kMemcpy, KinetoCategory::kGpu},
    {"Memcpy", SpanCategory::kMemcpy, KinetoCategory::kGpu},
    {"gpu_memset", SpanCategory::kMemset, KinetoCategory::kGpu},
    {"Memset", SpanCategory::kMemset, KinetoCategory::kGpu},
    {"gpu_user_annotation", SpanCategory::kAnnotation, KinetoCategory::kGpu},
    {"cuda_sync", SpanCategory::kSync, KinetoCategory::kGpu},
    {"mtia_ccp_events", SpanCategory::kCompute, KinetoCategory::kAccelerator},
    {"privateuse1_driver", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"cpu_op", SpanCategory::kCpuOp, KinetoCategory::kHost},
    {"Operator", SpanCategory::kCpuOp, KinetoCategory::kHost},
    {"user_annotation", SpanCategory::kAnnotation, KinetoCategory::kHost},
    {"Trace", SpanCategory::kAnnotation, KinetoCategory::kHost},
    {"cuda_runtime", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"cuda_driver", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"Runtime", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"mtia_runtime", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"xpu_runtime", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"xpu_driver", SpanCategory::kRuntime, KinetoCategory::kHost},
    {"privateuse1_runtime", SpanCategory::kRuntime, KinetoCategory::kHost},
};

}  // namespace

const KinetoCategory& kinetoCategory(std::string_view name) {
  static constexpr KinetoCategory kOther{"", SpanCategory::kOther, KinetoCategory::kHost};
  const auto found = std::ranges::find(kRules, name, &KinetoCategory::name);
  return found == std::end(kRules) ? kOther : *found;
}

}  // namespace runglass
