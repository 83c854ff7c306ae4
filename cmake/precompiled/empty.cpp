// SPDX-License-Identifier: Apache-2.0
// What a target that only carries a precompiled header is made of.
