"""The frozen values that flow between the stages."""
