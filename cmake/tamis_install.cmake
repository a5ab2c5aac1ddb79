# `cmake --install` and what find_package(tamis) finds there: headers, libraries, targets tamis::<room>, tamis::tamis
# and tamis::main, and tamis_add_model.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tamis)
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets INCLUDE REGEX "^tamis")
list(REMOVE_ITEM targets tamis_host tamis_header)
foreach(target IN LISTS targets)
  string(REGEX REPLACE "^tamis_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

# Eigen aligns by instruction set: what includes the headers aligns as the library does, whatever it is compiled for.
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
file(WRITE ${PROJECT_BINARY_DIR}/alignment.cpp "#include <Eigen/Core>\nalignment EIGEN_MAX_ALIGN_BYTES\n")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -I${eigen} -E -P ${PROJECT_BINARY_DIR}/alignment.cpp
                OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "alignment ([0-9]+)")
  message(FATAL_ERROR "Eigen's EIGEN_MAX_ALIGN_BYTES is no number: is this Eigen 3.4?")
endif()
target_compile_definitions(tamis_base INTERFACE $<INSTALL_INTERFACE:EIGEN_MAX_ALIGN_BYTES=${CMAKE_MATCH_1}>)

install(TARGETS ${targets} EXPORT tamis ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tamis NAMESPACE tamis:: FILE tamisTargets.cmake DESTINATION ${package})
install(FILES ${PROJECT_SOURCE_DIR}/include/tamis.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tamis
        FILES_MATCHING PATTERN "*.hpp")
set(TAMIS_WITH_CUDA OFF)
if(TARGET tamis_device)
  set(TAMIS_WITH_CUDA ON)
endif()
set(TAMIS_WITH_SIMBODY OFF)
if(TARGET tamis_simbody)
  set(TAMIS_WITH_SIMBODY ON)
endif()
set(TAMIS_WITH_FMI OFF)
if(TARGET tamis_fmi)
  set(TAMIS_WITH_FMI ON)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tamisConfig.cmake.in ${PROJECT_BINARY_DIR}/tamisConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tamisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tamisConfig.cmake ${PROJECT_BINARY_DIR}/tamisConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindKLU.cmake ${CMAKE_CURRENT_LIST_DIR}/tamis_add_model.cmake
        DESTINATION ${package})
