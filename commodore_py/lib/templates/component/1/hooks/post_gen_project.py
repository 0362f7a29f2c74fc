"""Write the files of each test case."""

from pathlib import Path

# Names of cases and the slug are checked before; other variables may hold any text, and
# must not become part of this script.
SLUG = "<< cookiecutter.slug >>"
CASES = """<< cookiecutter.test_cases >>""".split()
GOLDEN = "<< cookiecutter.add_golden == 'y' >>" == "True"

example = Path("tests/.example")
values = example.read_text(encoding="utf-8")
example.unlink()
for case in CASES:
    Path(f"tests/{case}.yml").write_text(values.replace("CASE", case), encoding="utf-8")
    if GOLDEN:
        apps = Path("tests/golden", case, SLUG, "apps")
        apps.mkdir(parents=True)
        (apps / f"{SLUG}.yaml").touch()
