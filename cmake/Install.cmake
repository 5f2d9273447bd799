# SPDX-License-Identifier: GPL-3.0-or-later
include(GNUInstallDirs)
install(TARGETS polyrail polyrail-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY sample_clusters/ DESTINATION ${CMAKE_INSTALL_DATADIR}/polyrail/sample_clusters)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
