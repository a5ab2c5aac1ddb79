# The commit, for --version and summary.json, as it is when the library is built. Included by CMakeLists.txt; each build
# then runs it as a script, which writes commit.cpp if the commit is another one. It is empty without git, or where the
# sources are an archive.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(file ${PROJECT_BINARY_DIR}/commit.cpp)
  add_custom_target(commit_of_tamis BYPRODUCTS ${file} COMMENT "Asking for the commit"
                    COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR} -D file=${file}
                            -P ${CMAKE_CURRENT_LIST_FILE}
                    VERBATIM)
  target_sources(tamis_app PRIVATE ${file})
  add_dependencies(tamis_app commit_of_tamis)
  return()
endif()

set(commit "")
if(EXISTS ${source}/.git)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude * WORKING_DIRECTORY ${source}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "// Written by tamis_commit.cmake.\nnamespace tamis {\nconst char* commit() { return \"${commit}\"; }\n}\n")
set(before "")
if(EXISTS ${file})
  file(READ ${file} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${file} "${text}")
endif()
