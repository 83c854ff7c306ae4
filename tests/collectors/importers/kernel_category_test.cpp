// SPDX-License-Identifier: Apache-2.0
// Communication and compute kernels, by their names in traces of PyTorch, vLLM, SGLang, TensorRT-LLM and others.
#include "collectors/importers/timeline/kernel_category.h"

#include <gtest/gtest.h>

#include "collectors/importers/chrome_trace/op_category.h"

namespace runglass {
namespace {

TEST(KernelCategory, KernelsOfCommunicationLibrariesCommunicate) {
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                           "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
                           "rcclGenericKernel<4, false>(ncclDevKernelArgsStorage<4096ul>)",
                           "hcom_allReduce__123_0_1",
                           "HcclAllGather",
                           "mscclKernel_Sum_half_Simple_false",
                           "void mscclpp::collective::allreduceRsAg<__half>(mscclpp::DeviceHandle<mscclpp::MemoryChannel>*)",
                           "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
                           "void deep_ep::internode_ll::combine<true, 7168, 11, 9>(void*)",
                           "deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
                           "nvshmemi_transfer_put_kernel",
                           "void nvshmem_alltoallmem_kernel(int, void*)",
                           "rocshmem_put_wave",
                           "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(mori::moe::EpDispatchCombineArgs)",
                           "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop",
                           "kuserbuffers_pushrecv(int, int)",
                           "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)",
                           "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*)",
                           "void aiter::allreduce_fusion_kernel_1stage<__hip_bfloat16>(void*)",
                           "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<__half>>(int)",
                           "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true>(tensorrt_llm::kernels::AllReduceParams)",
                           "void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(int)",
                           "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1, __nv_bfloat16, 8>(int)",
                           "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)",
                           "void c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(unsigned int**)",
                           "triton_all_gather_kernel"}) {
    EXPECT_EQ(kernelCategory(name), SpanCategory::kComm) << name;
    EXPECT_EQ(opCategory(name, "kernel"), SpanCategory::kComm) << name << ": a trace of another profiler";
  }
}

TEST(KernelCategory, KernelsThatSoundLikeThemCompute) {
  for (const char* name :
       {"void at::native::_scatter_gather_elementwise_kernel<128, 4, at::native::_cuda_scatter_gather_internal_kernel<true, float>>(int)",
        "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, long*>>(int)", "_finalize_matmul_scatter_bf16",
        "void (anonymous namespace)::groupnorm_kernel_dispatch_up<__hip_bfloat16, 1024u>(unsigned int)",
        "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(flash::Flash_fwd_params)",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(at::native::ReduceOp<float>)",
        "void oneflow::SoftmaxBlockAllReduce<float>(float*)", "void layer_norm_warp_all_reduce<4>(float*)",
        "void elementwise_kernel<AllReduceFunctor>(int)", "void transpose_shmem_kernel<float>(float*)",
        "ampere_bf16_s16816gemm_bf16_128x128"})
    EXPECT_EQ(kernelCategory(name), SpanCategory::kCompute) << name;
}

TEST(KernelCategory, IsRememberedByName) {
  KernelCategories categories;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(categories.of("void vllm::cross_device_reduce_2stage<half, 4>()"), SpanCategory::kComm);
    EXPECT_EQ(categories.of("gemm"), SpanCategory::kCompute);
  }
}

}  // namespace
}  // namespace runglass
