// What fails while a GPU is examined, as a sample says it.
#pragma once

#include "real/cuda/device.hpp"
#include "real/probes/cuda/sample.hpp"

#include <exception>
#include <string>

namespace gauntlet::cuda {

inline void add_to_list(std::string& list, const std::string& more) {
  list += (list.empty() ? "" : "; ") + more;
}

/// Carries out `work`. A failure that says nothing of the GPU's health makes the sample inconclusive, any other one is an error; either is told
/// with `where`. What the sample has already stays.
template <class Work>
void attempt(Sample& sample, const std::string& where, const Work& work) {
  const auto told = [&](const std::exception& error) {
    return (where.empty() ? "" : where + ": ") + error.what();
  };
  try {
    work();
  } catch (const Error& error) {
    if (is_of_software(error.code()))
      add_to_list(sample.inconclusive, told(error));
    else
      sample.errors.push_back(told(error));
  } catch (const LibraryError& error) {
    add_to_list(sample.inconclusive, told(error));
  } catch (const std::exception& error) {
    sample.errors.push_back(told(error));
  }
  (void)cudaGetLastError();  // else it would be told of the next GPU
}

}  // namespace gauntlet::cuda
