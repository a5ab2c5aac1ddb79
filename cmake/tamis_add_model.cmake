# tamis_add_model(name)
#
# Builds <name>.cpp of the current folder into the program <name>, in Tamis and in projects that use it. In Tamis the
# sample runs at its top are tests.
function(tamis_add_model name)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} does not exist: create it, or remove tamis_add_model(${name}).")
  endif()
  add_library(model_${name} OBJECT ${file})
  target_link_libraries(model_${name} PUBLIC tamis::tamis)
  if(COMMAND tamis_add_fmu)
    tamis_may_be_shared(model_${name})
    tamis_add_fmu(${name})
  endif()
  add_executable(${name})
  target_link_libraries(${name} PRIVATE model_${name} tamis::main)

  if(TAMIS_TESTS)
    file(STRINGS ${file} lines REGEX "^//(  *Sample runs:)?  *${name}( --|$)")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    # They fail if more than a thousandth of the steps does not converge. (A study draws no frames and has no verdict,
    # be it the whole model or what an option asks for.)
    file(STRINGS ${file} study REGEX "^    study\\(")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^//(  *Sample runs:)?  *${name} *" "" options "${line}")
      separate_arguments(options)
      set(watched --frames 3 --limits unconverged=1e-3:1e-3)
      if(study OR "--stepped-sine" IN_LIST options)
        set(watched)
      endif()
      string(JOIN "_" label ${name} ${options})
      add_test(NAME "sample: ${name} ${options}" COMMAND ${name} ${options} --quiet ${watched} --out
                                                        ${PROJECT_BINARY_DIR}/samples/${label})
      set_tests_properties("sample: ${name} ${options}" PROPERTIES
                           ENVIRONMENT TAMIS_CACHE=${PROJECT_BINARY_DIR}/equations)
    endforeach()
  endif()
endfunction()
