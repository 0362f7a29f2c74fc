"""The hierarchy's engine: classes and targets to resolved parameters."""
