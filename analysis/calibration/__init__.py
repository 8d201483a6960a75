"""Free parameters fitted to measured runs, with the errors on runs that the fit has not seen."""
