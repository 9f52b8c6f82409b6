# What `make install` leaves: library, headers, program, manual, completion, materials, and the two
# ways other programs find it (find_package, pkg-config).
# Where there are both, ingot::ingot is the shared library; COMPONENTS static makes it the other.
if(INGOT_BOTH)
  install(TARGETS ingot_shared EXPORT ingotTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS ingot EXPORT ingotStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
else()
  install(TARGETS ingot EXPORT ingotTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/ingot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY materials DESTINATION ${CMAKE_INSTALL_DATADIR}/ingot OPTIONAL FILES_MATCHING PATTERN "*.yaml")
# what reports are made with goes along, so that a moved tree still has it
foreach(one THREE:three.min.js ORBIT:OrbitControls.js CHART:chart.min.js THREE_LICENCE:three.copyright CHART_LICENCE:chart.copyright)
  string(REPLACE ":" ";" one ${one})
  list(GET one 0 key)
  list(GET one 1 name)
  if(INGOT_IO AND INGOT_${key})
    file(REAL_PATH ${INGOT_${key}} real)
    install(FILES ${real} DESTINATION ${CMAKE_INSTALL_DATADIR}/ingot/web RENAME ${name} COMPONENT web)
  endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/cases DESTINATION ${CMAKE_INSTALL_DATADIR}/ingot)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ingot)
install(EXPORT ingotTargets NAMESPACE ingot:: DESTINATION ${package})
if(INGOT_BOTH)
  install(EXPORT ingotStaticTargets NAMESPACE ingot:: DESTINATION ${package})
endif()
configure_package_config_file(cmake/ingotConfig.cmake.in ${CMAKE_BINARY_DIR}/ingotConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ingotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ingotConfig.cmake ${CMAKE_BINARY_DIR}/ingotConfigVersion.cmake
  cmake/dependencies.cmake DESTINATION ${package})

# pkg-config: a static library must name what it stands on, a shared one need not
set(private)
if(INGOT_IO)
  foreach(library ${HDF5_C_LIBRARIES} ${PNG_LIBRARIES} ${INGOT_YAML_LIBRARY})
    list(APPEND private ${library})
  endforeach()
endif()
if(INGOT_PETSC)
  list(APPEND private ${INGOT_PETSC_PACKAGE_LDFLAGS})
endif()
if(INGOT_PETSC OR INGOT_HAVE_MPI)
  list(APPEND private ${MPI_C_LIBRARIES})
endif()
if(INGOT_HAVE_CUDA)
  list(APPEND private ${CUDA_cudart_static_LIBRARY} -lstdc++ -lrt)
endif()
list(REMOVE_DUPLICATES private)
list(APPEND private ${OpenMP_C_FLAGS} -lpthread -ldl -lm)
list(JOIN private " " private)
if(BUILD_SHARED_LIBS OR INGOT_BOTH)
  set(INGOT_PC_PRIVATE ${private})
else()
  set(INGOT_PC_LIBS ${private})
endif()
# relative to itself, so that an installed tree can be moved
file(RELATIVE_PATH INGOT_PC_UP /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
configure_file(cmake/ingot.pc.in ${CMAKE_BINARY_DIR}/ingot.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/ingot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET ingot_cli)
  install(TARGETS ingot_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # the manual and the completions are the program's own words
  set(words ${CMAKE_BINARY_DIR}/words)
  add_custom_command(OUTPUT ${words}/ingot.1 ${words}/ingot.bash ${words}/_ingot ${words}/ingot.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${words}
    COMMAND ingot_cli help --man > ${words}/ingot.1
    COMMAND ingot_cli completion bash > ${words}/ingot.bash
    COMMAND ingot_cli completion zsh > ${words}/_ingot
    COMMAND ingot_cli completion fish > ${words}/ingot.fish
    DEPENDS ingot_cli VERBATIM)
  add_custom_target(ingot_words ALL DEPENDS ${words}/ingot.1)
  install(FILES ${words}/ingot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${words}/ingot.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ingot)
  install(FILES ${words}/_ingot DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${words}/ingot.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
