# CUDA's toolkit, where it is installed: GAUNTLET_CUDA says whether. For the folder above all that is built with it.
set(GAUNTLET_CUDA OFF)
if(GAUNTLET_SANITIZE)
  return() # nvcc knows no sanitizer of clang's
endif()
find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND OR NOT TARGET CUDA::cublasLt)
  message(STATUS "CUDA's toolkit is not here: no programs for GPUs, and CUDA probes are unsupported")
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
endif()
# Ampere, Ada, Hopper, and what later GPUs compile for themselves.
set(CMAKE_CUDA_ARCHITECTURES 80-real 89-real 90)
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17) # the latest that CMake 3.25 knows of
set(GAUNTLET_CUDA ON)
