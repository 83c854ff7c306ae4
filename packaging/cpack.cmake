# SPDX-License-Identifier: Apache-2.0
# One .deb a component; what libraries they need is found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME runglass)
set(CPACK_PACKAGE_VENDOR "The Runglass developers")
set(CPACK_PACKAGE_CONTACT "The Runglass developers <runglass@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL agent ctl client dev)
if(RG_WITH_GUI)
  list(APPEND CPACK_COMPONENTS_ALL console)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# runglass_deb(COMPONENT PACKAGE SECTION COPYRIGHT SUMMARY TEXT): names, description, and the licence that every package carries.
function(runglass_deb component package section copyright summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES debian/${copyright} DESTINATION ${folder} RENAME copyright COMPONENT ${component})
  install(FILES ${out}/changelog.Debian.gz DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${out}/CHANGELOG.md.gz DESTINATION ${folder} RENAME changelog.gz COMPONENT ${component})
endfunction()
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND date -u -d ${RG_RELEASE_DATE} -R OUTPUT_VARIABLE RG_DEBIAN_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)
file(WRITE ${out}/changelog.Debian "runglass (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n  * What is new is told in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${RG_DEBIAN_DATE}\n")
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${out}/CHANGELOG.md COPYONLY)
execute_process(COMMAND ${GZIP} -9nkf ${out}/changelog.Debian ${out}/CHANGELOG.md COMMAND_ERROR_IS_FATAL ANY)

runglass_deb(console runglass science copyright-programs "console for GPU clusters and distributed training runs"
"Shows what a GPU cluster and the training runs on it do, live and
afterwards: the state of every GPU, loss and throughput with their
spikes, the timeline of many ranks at once, who is slow, since when and
why. Everything lies in one file.")
runglass_deb(ctl runglassctl science copyright-programs "Runglass from the command line, and its hub"
"Imports traces and logs of training runs into a store, queries it with SQL,
analyses, checks and exports it. The service runglass-hub receives what agents
tell and keeps it in a store.")
runglass_deb(agent runglass-agent admin copyright-programs "tells a Runglass hub what a node knows about training"
"One on every node: GPUs, host, network, the kernel's log, training logs and
trainers that use librunglass. The service runglass-agent sends it to a hub.")
runglass_deb(client librunglass0 libs copyright-client "tells Runglass what a training process does"
"A small C library that a trainer loads, the same for Python, and a tracer
of GPU work that is preloaded into a trainer. The library needs nothing
but libc.")
runglass_deb(dev librunglass-dev libdevel copyright-client "tells Runglass what a training process does: headers"
"Headers, the static library and the pkg-config file of librunglass.")

set(CPACK_DEBIAN_CONSOLE_PACKAGE_DEPENDS "fonts-noto-core, fonts-jetbrains-mono, qt6-translations-l10n, hicolor-icon-theme")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_RECOMMENDS "runglassctl, fonts-noto-cjk, qt6-wayland, shared-mime-info, desktop-file-utils")
set(CPACK_DEBIAN_CTL_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_CTL_PACKAGE_SUGGESTS "runglass, runglass-agent")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_AGENT_PACKAGE_SUGGESTS "runglassctl")
set(CPACK_DEBIAN_CLIENT_PACKAGE_SUGGESTS "runglass-agent, python3")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "librunglass0 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# Debian's linker learns of the library by a trigger, and packages that link against it by shlibs.
file(WRITE ${out}/debian/client/triggers "activate-noawait ldconfig\n")
file(WRITE ${out}/debian/client/shlibs "librunglass 0 librunglass0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_CLIENT_PACKAGE_CONTROL_EXTRA ${out}/debian/client/triggers ${out}/debian/client/shlibs)
foreach(component IN ITEMS agent ctl)
  string(TOUPPER ${component} key)
  foreach(script IN ITEMS postinst prerm postrm conffiles)
    configure_file(debian/${component}.${script} ${out}/debian/${component}/${script} COPYONLY)
    list(APPEND CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${out}/debian/${component}/${script})
  endforeach()
endforeach()
include(CPack)
