#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvidia-smi for the two GPUs of tests/collectors/sources/fake_nvml.c, of a version that knows no clocks_event_reasons.

FAKE_SMI=broken: it fails as without a driver.
"""
import os
import sys

SAME = {"name": "Fake H100", "driver_version": "550.54.03", "pci.bus_id": "[N/A]", "ecc.mode.current": "[N/A]",
        "mig.mode.current": "[N/A]", "compute_mode": "[N/A]", "count": "2",
        "power.draw": "654.32", "clocks.sm": "1980", "clocks.mem": "2619", "clocks_throttle_reasons.active": "0x0000000000000004", "utilization.gpu": "97",
        "utilization.memory": "40", "temperature.gpu": "61", "temperature.memory": "70", "memory.used": "61440", "memory.total": "81920",
        "enforced.power.limit": "700.00", "clocks.max.sm": "[N/A]", "pcie.link.gen.current": "[N/A]", "pcie.link.width.current": "[N/A]"}
GPUS = ({"uuid": "GPU-fake-0", "index": "0", "ecc.errors.corrected.aggregate.total": "17", "ecc.errors.uncorrected.aggregate.total": "1"},
        {"uuid": "GPU-fake-1", "index": "1", "ecc.errors.corrected.aggregate.total": "[N/A]", "ecc.errors.uncorrected.aggregate.total": "[N/A]"})
REMAPPED = {"gpu_uuid": "GPU-fake-0", "remapped_rows.correctable": "[N/A]", "remapped_rows.uncorrectable": "[N/A]", "remapped_rows.pending": "[N/A]",
            "remapped_rows.failure": "[N/A]"}
QUERIES = {"--query-gpu": [{**SAME, **gpu} for gpu in GPUS], "--query-remapped-rows": [REMAPPED],
           "--query-compute-apps": [{"pid": "4000", "used_gpu_memory": "51200"}, {"pid": "4001", "used_gpu_memory": "[N/A]"}]}


def main():
    if os.environ.get("FAKE_SMI") == "broken":
        print("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
        return 9
    query, _, names = sys.argv[1].partition("=")
    for name in names.split(","):
        if name not in QUERIES[query][0]:
            print('Field "%s" is not a valid field to query.' % name)
            return 2
    for row in QUERIES[query]:
        print(", ".join(row[name] for name in names.split(",")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
