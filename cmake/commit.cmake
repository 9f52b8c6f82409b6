# Writes HEADER with the commit of the source tree, if it is another than the header has: only the one
# file that includes it is compiled again.   cmake -DSOURCE=DIR -DHEADER=FILE [-DCOMMIT=TEXT] -P commit.cmake
if(NOT COMMIT)
  set(COMMIT unknown)
  find_program(GIT git)
  if(GIT)
    # a folder inside another project has that one's commits, which say nothing of Ingot
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-cdup HEAD OUTPUT_VARIABLE words ERROR_QUIET
      RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed EQUAL 0 AND words MATCHES "^\n?([0-9a-f]+)$")
      set(COMMIT ${CMAKE_MATCH_1})
      execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
        ERROR_QUIET)
      if(changes)
        string(APPEND COMMIT "-modified")
      endif()
    endif()
  endif()
endif()
set(text "#define IG_COMMIT \"${COMMIT}\"\n")
set(former "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} former)
endif()
if(NOT former STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
