"""Names that are parts of paths: almost everything is allowed in them."""

PATH_SEGMENT = r"^(?!\.\.?$)[^/%]*$"
