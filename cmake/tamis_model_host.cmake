# What `tamis run path/to/model.cpp` needs to have a model outside the tree running within seconds: a program that
# holds the whole library and loads compiled models (tamis_host), the compiler's arguments in a file, and tamis.hpp
# precompiled with them (tamis_header).
set(folder ${PROJECT_BINARY_DIR}/model_host)
get_property(rooms DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER rooms INCLUDE REGEX "^tamis_")
list(REMOVE_ITEM rooms tamis_base tamis_main tamis_device)
add_executable(tamis_host EXCLUDE_FROM_ALL src/app/host_main.cpp)
target_link_libraries(tamis_host PRIVATE -Wl,--whole-archive ${rooms} -Wl,--no-whole-archive ${CMAKE_DL_LIBS})
set_target_properties(tamis_host PROPERTIES ENABLE_EXPORTS ON)

# One argument a line, as the compiler reads them from a file. (-O2, not -O3: half the compiler's time.)
set(includes "$<TARGET_PROPERTY:tamis_host,INCLUDE_DIRECTORIES>")
set(includes "$<REMOVE_DUPLICATES:$<FILTER:${includes},EXCLUDE,^(/usr/include|${PROJECT_SOURCE_DIR}/include|)$>>")
set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:tamis_host,COMPILE_DEFINITIONS>>")
file(GENERATE OUTPUT ${folder}/flags CONTENT
"-std=c++20
-O2
-fPIC
-ffp-contract=off
-Wall
-Wextra
-Wno-missing-field-initializers
$<$<NOT:$<CONFIG:Debug>>:-DNDEBUG>
\"-I${folder}\"
\"-I${PROJECT_SOURCE_DIR}/include\"
\"-isystem$<JOIN:${includes},\"\n\"-isystem>\"
\"-D$<JOIN:${definitions},\"\n\"-D>\"
")
file(GENERATE OUTPUT ${folder}/compiler CONTENT "${CMAKE_CXX_COMPILER}")
# What makes the library of an FMU of a model, behind these flags and the model's file: `./tamis fmu path/to/model.cpp`.
list(TRANSFORM rooms REPLACE "(.+)" "\"$<TARGET_FILE:\\1>\"" OUTPUT_VARIABLE archives)
set(outside $<TARGET_LINKER_FILE:fmt::fmt> ${KLU_LIBRARY} ${BULLET64_LINK_LIBRARIES} ${OpenMP_CXX_LIBRARIES})
if(TARGET tamis_device)
  list(APPEND archives "\"$<TARGET_FILE:tamis_device>\"")
  list(APPEND outside $<TARGET_FILE:CUDA::cudart_static> -lrt -lpthread)
endif()
string(REPLACE ";" "\"\n\"" link "${tamis_fmu_link_options}") # (which have commas)
file(GENERATE OUTPUT ${folder}/fmu_flags CONTENT
"-shared
-Wl,-rpath,$ORIGIN
\"${link}\"
\"$<JOIN:$<TARGET_OBJECTS:fmu_functions>,\"
\">\"
-Wl,--start-group
$<JOIN:${archives},
>
-Wl,--end-group
$<JOIN:${outside},
>
-ldl
")
add_custom_command(
  OUTPUT ${folder}/tamis.hpp.gch
  COMMAND ${CMAKE_CXX_COMPILER} @${folder}/flags -MD -MF ${folder}/tamis.hpp.d -w -x c++-header
          -o ${folder}/tamis.hpp.gch ${PROJECT_SOURCE_DIR}/include/tamis.hpp
  DEPENDS ${folder}/flags ${PROJECT_SOURCE_DIR}/include/tamis.hpp
  DEPFILE ${folder}/tamis.hpp.d
  VERBATIM)
add_custom_target(tamis_header DEPENDS ${folder}/tamis.hpp.gch)
