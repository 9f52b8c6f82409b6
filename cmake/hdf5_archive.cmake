# HDF5 as an archive, for the program alone: Debian's shared library brings thirty others along (curl, TLS, LDAP,
# Kerberos) for files in the cloud, and loading them takes longer than a small model. INGOT_HDF5_ARCHIVE is what
# the program links, or empty: no archive beside the shared library, or one that needs more than is here.
option(INGOT_STATIC_HDF5 "Link the program (not the library) to HDF5's archive, where it is installed" ON)
set(INGOT_HDF5_ARCHIVE "")
if(INGOT_STATIC_HDF5)
  list(GET HDF5_C_LIBRARIES 0 shared)
  if(EXISTS "${shared}")
    get_filename_component(folder ${shared} DIRECTORY)
    find_library(INGOT_HDF5_FILE NAMES libhdf5.a PATHS ${folder} NO_DEFAULT_PATH)
    mark_as_advanced(INGOT_HDF5_FILE)
  endif()
  if(INGOT_HDF5_FILE)
    find_library(INGOT_SZ_LIBRARY sz) # a filter of HDF5
    set(others ZLIB::ZLIB ${CMAKE_DL_LIBS} Threads::Threads m)
    if(INGOT_SZ_LIBRARY)
      list(PREPEND others ${INGOT_SZ_LIBRARY})
    endif()
    set(CMAKE_REQUIRED_LIBRARIES ${INGOT_HDF5_FILE} ${others})
    set(CMAKE_REQUIRED_INCLUDES ${HDF5_C_INCLUDE_DIRS})
    check_c_source_compiles("#include <hdf5.h>\nint main(void) { return (int)H5Fcreate(\"a\", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); }"
      INGOT_HDF5_ARCHIVE_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_INCLUDES)
    if(INGOT_HDF5_ARCHIVE_LINKS)
      set(INGOT_HDF5_ARCHIVE ${INGOT_HDF5_FILE} ${others})
    endif()
  endif()
endif()
