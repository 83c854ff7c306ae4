// SPDX-License-Identifier: Apache-2.0
// A program linked with CUDA's libraries, like C++ trainers.
extern "C" int workload(int argc, char** argv);

int main(int argc, char** argv) { return workload(argc, argv); }
