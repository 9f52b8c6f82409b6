# The Python package: build/python/ingot, for PYTHONPATH=build/python or `make install`. Built where
# the distribution's Python has cffi and its headers; the library is linked into the extension.
option(INGOT_PYTHON "Build the Python package, where python3-cffi and python3-dev are installed" ON)
set(INGOT_PYTHON_PROGRAM /usr/bin/python3 CACHE FILEPATH "The Python to build the package for")

function(ingot_python)
  if(NOT INGOT_PYTHON OR NOT EXISTS ${INGOT_PYTHON_PROGRAM} OR CMAKE_C_FLAGS MATCHES "-fsanitize")
    return() # a plain Python cannot load what a sanitizer watches
  endif()
  execute_process(COMMAND ${INGOT_PYTHON_PROGRAM} -c "import cffi, sysconfig; print(sysconfig.get_path('include'))"
    OUTPUT_VARIABLE include OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT EXISTS ${include}/Python.h)
    message(STATUS "Python package: not built (needs python3-cffi and python3-dev)")
    return()
  endif()
  set(build ${CMAKE_BINARY_DIR}/python)
  set(work ${CMAKE_BINARY_DIR}/python-build)
  # The public headers without the standard's: cffi knows those types.
  foreach(name stdbool stddef stdint)
    file(WRITE ${work}/empty/${name}.h "")
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/ingot/*.h)
  set(script ${CMAKE_SOURCE_DIR}/python/ingot/_build.py)
  add_custom_command(OUTPUT ${work}/_ingot.c
    COMMAND ${CMAKE_C_COMPILER} -E -P -U__GNUC__ -nostdinc -I${work}/empty -I${CMAKE_SOURCE_DIR}/include
      -o ${work}/ingot.i ${CMAKE_SOURCE_DIR}/include/ingot/ingot.h
    COMMAND ${INGOT_PYTHON_PROGRAM} ${script} ${work}/ingot.i ${work}/_ingot.c
    DEPENDS ${headers} ${script} VERBATIM)
  add_library(ingot_python MODULE ${work}/_ingot.c)
  target_include_directories(ingot_python SYSTEM PRIVATE ${include})
  target_link_libraries(ingot_python PRIVATE ingot)
  # symbols of the library stay inside: another copy of it may be in the same process
  target_link_options(ingot_python PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(ingot_python PROPERTIES PREFIX "" OUTPUT_NAME _ingot SUFFIX .abi3.so
    LIBRARY_OUTPUT_DIRECTORY ${build}/ingot)
  if(BUILD_SHARED_LIBS)
    set_target_properties(ingot_python PROPERTIES INSTALL_RPATH "$ORIGIN/../../../../${CMAKE_INSTALL_LIBDIR}")
  endif()
  file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/ingot/*.py ${CMAKE_SOURCE_DIR}/python/ingot/*.pyi ${CMAKE_SOURCE_DIR}/python/ingot/py.typed)
  list(REMOVE_ITEM modules ${script})
  foreach(module ${modules})
    get_filename_component(name ${module} NAME)
    configure_file(${module} ${build}/ingot/${name} COPYONLY)
  endforeach()
  set(INGOT_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package is installed, under the prefix")
  # a component: setup.py installs nothing else
  install(FILES ${modules} DESTINATION ${INGOT_PYTHON_DIR}/ingot COMPONENT python)
  install(TARGETS ingot_python LIBRARY DESTINATION ${INGOT_PYTHON_DIR}/ingot COMPONENT python)
endfunction()
if(INGOT_IO)
  ingot_python()
endif()
