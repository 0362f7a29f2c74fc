"""Write the files of each test case."""

from pathlib import Path

# Names of cases are checked before; other variables may hold any text, and must not become part
# of this script.
CASES = """<< cookiecutter.test_cases >>""".split()

Path("tests").mkdir()
for case in CASES:
    Path(f"tests/{case}.yml").touch()
