// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <google/protobuf/generated_message_util.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include "cmake/precompiled/core.h"
