// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1, loaded at run time: a function that the driver lacks is a null pointer, not an error.
//
// Threading:  one thread (the source's).
// Ownership:  the destructor shuts NVML down and unloads it.
// Units:      as NVML.
// Errors:     load(): UNAVAILABLE without library or driver, stating which.
// Cost:       some 40 dlsym calls once.
#pragma once

#include <memory>
#include <string>

#include "collectors/sources/nvml/nvml_abi.h"
#include "model/result.h"

namespace runglass::nvml {

// F(member, versioned symbol, argument types)
#define RG_NVML_FUNCTIONS(F)                                                                         \
  F(init, "nvmlInit_v2", ())                                                                         \
  F(shutdown, "nvmlShutdown", ())                                                                    \
  F(driverVersion, "nvmlSystemGetDriverVersion", (char*, unsigned))                                  \
  F(cudaVersion, "nvmlSystemGetCudaDriverVersion_v2", (int*))                                        \
  F(count, "nvmlDeviceGetCount_v2", (unsigned*))                                                     \
  F(handleByIndex, "nvmlDeviceGetHandleByIndex_v2", (unsigned, Device*))                             \
  F(deviceName, "nvmlDeviceGetName", (Device, char*, unsigned))                                      \
  F(uuid, "nvmlDeviceGetUUID", (Device, char*, unsigned))                                            \
  F(pciInfo, "nvmlDeviceGetPciInfo_v3", (Device, PciInfo*))                                          \
  F(migMode, "nvmlDeviceGetMigMode", (Device, unsigned*, unsigned*))                                 \
  F(computeMode, "nvmlDeviceGetComputeMode", (Device, int*))                                         \
  F(persistenceMode, "nvmlDeviceGetPersistenceMode", (Device, int*))                                 \
  F(eccMode, "nvmlDeviceGetEccMode", (Device, int*, int*))                                           \
  F(utilization, "nvmlDeviceGetUtilizationRates", (Device, Utilization*))                            \
  F(memory, "nvmlDeviceGetMemoryInfo_v2", (Device, MemoryV2*))                                       \
  F(memoryV1, "nvmlDeviceGetMemoryInfo", (Device, MemoryV1*))                                        \
  F(temperature, "nvmlDeviceGetTemperature", (Device, int, unsigned*))                               \
  F(temperatureThreshold, "nvmlDeviceGetTemperatureThreshold", (Device, int, unsigned*))             \
  F(power, "nvmlDeviceGetPowerUsage", (Device, unsigned*))                                           \
  F(powerLimit, "nvmlDeviceGetEnforcedPowerLimit", (Device, unsigned*))                              \
  F(energy, "nvmlDeviceGetTotalEnergyConsumption", (Device, std::uint64_t*))                         \
  F(clock, "nvmlDeviceGetClockInfo", (Device, int, unsigned*))                                       \
  F(maxClock, "nvmlDeviceGetMaxClockInfo", (Device, int, unsigned*))                                 \
  F(clockReasons, "nvmlDeviceGetCurrentClocksEventReasons", (Device, std::uint64_t*))                \
  F(clockReasonsOld, "nvmlDeviceGetCurrentClocksThrottleReasons", (Device, std::uint64_t*))          \
  F(eccErrors, "nvmlDeviceGetTotalEccErrors", (Device, int, int, std::uint64_t*))                    \
  F(remappedRows, "nvmlDeviceGetRemappedRows", (Device, unsigned*, unsigned*, unsigned*, unsigned*)) \
  F(pcieReplay, "nvmlDeviceGetPcieReplayCounter", (Device, unsigned*))                               \
  F(pcieGeneration, "nvmlDeviceGetCurrPcieLinkGeneration", (Device, unsigned*))                      \
  F(pcieWidth, "nvmlDeviceGetCurrPcieLinkWidth", (Device, unsigned*))                                \
  F(pcieGenerationMax, "nvmlDeviceGetMaxPcieLinkGeneration", (Device, unsigned*))                    \
  F(pcieWidthMax, "nvmlDeviceGetMaxPcieLinkWidth", (Device, unsigned*))                              \
  F(pcieThroughput, "nvmlDeviceGetPcieThroughput", (Device, int, unsigned*))                         \
  F(fanSpeed, "nvmlDeviceGetFanSpeed", (Device, unsigned*))                                          \
  F(performanceState, "nvmlDeviceGetPerformanceState", (Device, int*))                               \
  F(encoderBusy, "nvmlDeviceGetEncoderUtilization", (Device, unsigned*, unsigned*))                  \
  F(decoderBusy, "nvmlDeviceGetDecoderUtilization", (Device, unsigned*, unsigned*))                  \
  F(jpegBusy, "nvmlDeviceGetJpgUtilization", (Device, unsigned*, unsigned*))                         \
  F(ofaBusy, "nvmlDeviceGetOfaUtilization", (Device, unsigned*, unsigned*))                          \
  F(nvlinkState, "nvmlDeviceGetNvLinkState", (Device, unsigned, int*))                               \
  F(processesV3, "nvmlDeviceGetComputeRunningProcesses_v3", (Device, unsigned*, void*))              \
  F(processesV2, "nvmlDeviceGetComputeRunningProcesses_v2", (Device, unsigned*, void*))              \
  F(processesV1, "nvmlDeviceGetComputeRunningProcesses", (Device, unsigned*, void*))                 \
  F(fieldValues, "nvmlDeviceGetFieldValues", (Device, int, FieldValue*))                             \
  F(eventSetCreate, "nvmlEventSetCreate", (EventSet*))                                               \
  F(eventSetFree, "nvmlEventSetFree", (EventSet))                                                    \
  F(supportedEvents, "nvmlDeviceGetSupportedEventTypes", (Device, std::uint64_t*))                   \
  F(registerEvents, "nvmlDeviceRegisterEvents", (Device, std::uint64_t, EventSet))                   \
  F(eventSetWait, "nvmlEventSetWait_v2", (EventSet, EventData*, unsigned))                           \
  F(gpmSupport, "nvmlGpmQueryDeviceSupport", (Device, GpmSupport*))                                  \
  F(gpmSampleAlloc, "nvmlGpmSampleAlloc", (GpmSample*))                                              \
  F(gpmSampleFree, "nvmlGpmSampleFree", (GpmSample))                                                 \
  F(gpmSampleGet, "nvmlGpmSampleGet", (Device, GpmSample))                                           \
  F(gpmMetricsGet, "nvmlGpmMetricsGet", (void*))

class Library {
 public:
  // `path` "" = the standard places: libnvidia-ml.so.1, libnvidia-ml.so, the WSL one.
  static Result<std::unique_ptr<Library>> load(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

#define RG_NVML_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  RG_NVML_FUNCTIONS(RG_NVML_MEMBER)
#undef RG_NVML_MEMBER

  const std::string& driver() const { return m_driver; }  // "550.54.15"
  // Bytes per record of processesV3: 32 in drivers 535.43 to 535.86, 24 elsewhere.
  std::size_t processStride() const;

 private:
  explicit Library(void* handle) : m_handle(handle) {}
  void* m_handle;
  bool m_initialised = false;
  std::string m_driver;
};

}  // namespace runglass::nvml
