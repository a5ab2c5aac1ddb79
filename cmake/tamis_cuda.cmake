# Sweeps, and balls of the method dem, on NVIDIA devices (TAMIS_CUDA), wherever CUDA's compiler is. Programs need
# neither CUDA nor a device to start, since its runtime is linked statically and asks for the driver when it is used.
# Not under sanitizers: the address sanitizer holds addresses that CUDA's driver wants
# (github.com/google/sanitizers/issues/629).
if(NOT TAMIS_CUDA OR TAMIS_SANITIZE)
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE) # look again
  unset(TAMIS_NVCC CACHE)
  find_program(TAMIS_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(TAMIS_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${TAMIS_NVCC})
  endif()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(ENV{CUDAARCHS} 75) # Turing; for newer devices the driver translates at the first start
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(TAMIS_CUDA STREQUAL "AUTO")
    return()
  endif()
  message(FATAL_ERROR "TAMIS_CUDA=ON needs CUDA's compiler, and no nvcc that works is in PATH or /usr/local/cuda/bin; "
                      "install it, name it by -DCMAKE_CUDA_COMPILER=..., or configure with -DTAMIS_CUDA=OFF.")
endif()
enable_language(CUDA)
add_library(tamis_device STATIC ${PROJECT_SOURCE_DIR}/src/contact/device_cuda.cu
                                ${PROJECT_SOURCE_DIR}/src/dem/penalty_cuda.cu)
target_include_directories(tamis_device PRIVATE ${PROJECT_SOURCE_DIR}/include)
# Same bits as on the processor: no fused operations.
set_target_properties(tamis_device PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static COMPILE_OPTIONS
                                              "--fmad=false;-Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off")
if(TAMIS_WERROR)
  target_compile_options(tamis_device PRIVATE -Werror all-warnings -Xcompiler=-Werror)
endif()
find_package(CUDAToolkit REQUIRED)
target_link_libraries(tamis_device PRIVATE CUDA::cudart_static)
target_link_libraries(tamis_contact PRIVATE tamis_device)
target_link_libraries(tamis_dem PRIVATE tamis_device)
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/contact/device.cpp ${PROJECT_SOURCE_DIR}/src/dem/penalty_device.cpp
             APPEND PROPERTY COMPILE_DEFINITIONS TAMIS_CUDA)
