// One study on many machines: `mpirun gauntlet ...` or `srun --mpi=pmix gauntlet ...`. docs/scaling.md has how, and what
// happens when something is lost.
//
//   int main() { return started_by_mpi() ? with_ranks(program, notice) : program(); }
#pragma once

#include "study/executor.hpp"

#include <functional>
#include <memory>
#include <string>

namespace gauntlet {

/// Whether mpirun, or srun with PMIx, started this process as a rank of a job.
bool started_by_mpi();

/// On rank 0 runs `program`, on every other rank does what rank 0 says until that ends. Returns the exit code, or ends the
/// process with it where a rank was lost and MPI can no longer end as it should. `notice` gets what people should know, on
/// any thread.
int with_ranks(const std::function<int()>& program, const std::function<void(const std::string&)>& notice);

/// Computes on `threads` threads of every rank. Within `program` of with_ranks; one at a time.
std::unique_ptr<Executor> make_mpi_executor(const StudyTerms& terms, unsigned threads);

/// How many ranks there are; 1 outside of with_ranks.
int mpi_ranks();

}  // namespace gauntlet
