"""The tests, from pure functions to the installed command."""

import pytest

pytest.register_assert_rewrite("tests.support")
