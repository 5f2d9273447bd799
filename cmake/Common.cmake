# SPDX-License-Identifier: GPL-3.0-or-later
# One interface target carries every warning, define and sanitizer of the project.
add_library(polyrail_common INTERFACE)
target_include_directories(polyrail_common INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(polyrail_common INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${POLYRAIL_WERROR}>:-Werror>)
# gcc 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
target_compile_options(polyrail_common INTERFACE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
target_compile_definitions(polyrail_common INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(POLYRAIL_SANITIZE)
    list(JOIN POLYRAIL_SANITIZE "," _sanitizers)
    target_compile_options(polyrail_common INTERFACE -fsanitize=${_sanitizers} -fno-omit-frame-pointer -g)
    target_link_options(polyrail_common INTERFACE -fsanitize=${_sanitizers})
endif()

# polyrail_add_test(tst_name SOURCES a.cpp ... [LIBS targets] [LABELS unit|ui|slow] [TIMEOUT seconds])
# A Qt Test executable, registered with ctest on the offscreen platform.
function(polyrail_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE polyrail_common polyrail_core Qt6::Test ${ARG_LIBS})
    target_compile_definitions(${name} PRIVATE
        POLYRAIL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" POLYRAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
        POLYRAIL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    if(NOT ARG_LABELS)
        set(ARG_LABELS unit)
    endif()
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen" TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
