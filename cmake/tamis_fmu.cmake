# Libraries of FMUs. `./tamis fmu MODEL` links a model, the C functions of FMI (fmu_functions) and what they need of
# Tamis into a shared library that shows these functions alone.
#
# tamis_add_fmu(name): target fmu_<name>, which makes fmu/<name>.so of the model <name>.
add_library(fmu_functions OBJECT EXCLUDE_FROM_ALL src/app/exported_fmu_main.cpp src/app/fmi2_main.cpp
                                                  src/app/fmi3_main.cpp src/app/fmu_packing_main.cpp)
target_link_libraries(fmu_functions PRIVATE tamis_app)
tamis_may_be_shared(fmu_functions)

# Libraries that lie beside it are taken from there, those that they need, too. What it has started stays loaded:
# threads of OpenMP may still wait in it.
set(tamis_fmu_link_options -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/fmu_functions.map -Wl,--no-undefined
                           -Wl,--as-needed -Wl,--disable-new-dtags -Wl,-z,nodelete -Wl,--strip-debug)
target_link_options(fmu_functions INTERFACE ${tamis_fmu_link_options})
function(tamis_add_fmu name)
  add_library(fmu_${name} MODULE EXCLUDE_FROM_ALL)
  target_link_libraries(fmu_${name} PRIVATE model_${name} fmu_functions)
  set_target_properties(fmu_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} BUILD_WITH_INSTALL_RPATH ON
                                               INSTALL_RPATH "$ORIGIN"
                                               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fmu)
endfunction()
