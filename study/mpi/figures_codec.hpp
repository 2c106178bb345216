// Figures to bytes and back, exactly: a replica without incidents takes about 300 bytes.
#pragma once

#include "score/figures.hpp"
#include "study/mpi/wire.hpp"

namespace gauntlet {

void put(WireWriter& out, const Figures& figures);
/// Bytes that are not Figures make `in` bad.
void get(WireReader& in, Figures& figures);

}  // namespace gauntlet
