"""Updates from a template, proposed to many repositories."""
