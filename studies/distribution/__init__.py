"""Work on other machines, by a scheduler of Dask."""
