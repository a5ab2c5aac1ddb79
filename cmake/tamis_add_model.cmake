# tamis_add_model(name [VARIANTS "--option value" ...])
#
# Builds models/<name>.cpp into the program <name>. The model is linked twice: once alone, to emit the equations of its
# mechanisms as C++, and once with these equations compiled in. Each variant is a set of options that gives the model
# other mechanisms; equations are emitted for all of them. A mechanism that no variant names runs on the interpreter.
#
# The sample runs at the top of the model file are tests.
function(tamis_add_model name)
  cmake_parse_arguments(arg "" "" "VARIANTS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/models/${name}.cpp)
    message(WARNING "models/${name}.cpp does not exist: create it, or remove tamis_add_model(${name}).")
    return()
  endif()
  if(NOT arg_VARIANTS)
    set(arg_VARIANTS " ")
  endif()
  set(equations ${CMAKE_BINARY_DIR}/equations/${name}.cpp)

  add_library(model_${name} OBJECT ${CMAKE_SOURCE_DIR}/models/${name}.cpp)
  target_link_libraries(model_${name} PUBLIC tamis_app)
  add_executable(${name}_emit ${CMAKE_SOURCE_DIR}/src/app/main.cpp)
  target_link_libraries(${name}_emit PRIVATE model_${name})
  set_target_properties(${name}_emit PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/emit)
  add_custom_command(
    OUTPUT ${equations}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/equations
    COMMAND ${name}_emit --emit-equations ${equations} ${arg_VARIANTS}
    DEPENDS ${name}_emit
    COMMENT "Emitting the equations of ${name}"
    VERBATIM)
  add_library(equations_${name} OBJECT ${equations})
  target_link_libraries(equations_${name} PUBLIC tamis_mbs_symbolic)
  add_executable(${name} ${CMAKE_SOURCE_DIR}/src/app/main.cpp)
  target_link_libraries(${name} PRIVATE model_${name} equations_${name})

  if(TAMIS_TESTS)
    file(STRINGS ${CMAKE_SOURCE_DIR}/models/${name}.cpp lines REGEX "^//(  *Sample runs:)?  *${name}( --|$)")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/${name}.cpp)
    # (A study draws no frames.)
    file(STRINGS ${CMAKE_SOURCE_DIR}/models/${name}.cpp study REGEX "^ *study\\(")
    set(frames --frames 3)
    if(study)
      set(frames)
    endif()
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^//(  *Sample runs:)?  *${name} *" "" options "${line}")
      separate_arguments(options)
      string(JOIN "_" label ${name} ${options})
      add_test(NAME "sample: ${name} ${options}" COMMAND ${name} ${options} --quiet ${frames} --out
                                                        ${CMAKE_BINARY_DIR}/samples/${label})
    endforeach()
  endif()
endfunction()
