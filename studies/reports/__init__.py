"""Reports: pages and plots that a scientist can hand on."""
