"""Secrets in what leaves the process: credentials by their form, and those of this run by value."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MASK = "***"

_SHORTEST = 6
"""Characters: a shorter value is masked by its form only."""

PUBLIC_USERS = frozenset({"git"})
_ROLES = frozenset({"gitlab-ci-token", "oauth2", "x-access-token", "x-oauth-basic", "x-token-auth"})
_SSH = frozenset({"ssh", "git+ssh", "ssh+git", "sftp"})
# Compiled when they are used: every command imports this.
_SLASHES = r":(?:\\?/){2}"
_AFTER_URL = r"[\s'\"<>]"
_SCHEME = r"[a-z][a-z0-9+.-]{0,19}$"
_PORT = r"[^:]*:\d{1,5}$"
_ENCODED_USER_INFO = r"(%3A%2F%2F)(?:(?!%2F|%40)[^\s&/])+%40"

_IN_QUERY = r"([?&;#]|%3F|%26|\\u0026)((?:[\w.\-\[\]]|%[46-7][0-9A-F]|%2D|%2E|%5F){2,40})(=|%3D)"
_VALUE = r"(?:(?!%26|\\u0026)[^&\s\"'<>#;)\\])+"
_NAMED_MEMBER = (
    r"(?:token|secret|passw(?:or)?d|passwd|pwd|passphrase|signature|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|secret[_-]?key|credentials?|keyid|access-?key-?id)$"
    r"|^(?:sig|key|jwt|auth|authorization|session|sas|assertion|code|pass|policy|x-(?:amz|goog)-.*)$"
)
_NOT_SECRET = frozenset({"x-amz-date", "x-amz-expires", "x-amz-algorithm", "x-goog-date"})

_HEADER = (
    r"(\b(?:(?:proxy-)?authorization|private-token|job-token|deploy-token|x-api-key|x-auth-token"
    r"|x-vault-token|x-amz-security-token|set-cookie|cookie)\b"
    r"[\"']?[ \t]*[:=][ \t]*[\"']?)([^\s\"',][^\"'\r\n]*)"
)
_SCHEMES = r"\b(bearer|basic)((?:\s|%20|\+)+)(?!(?:tokens?|auth\w*)\b)([\w.~+/%|:-]{5,}=*)"
_MEMBER = (
    r"(\\?[\"'](?:[a-z]+_)?(?:token|password|secret|assertion)\\?[\"']\s*:\s*\\?[\"'])"
    r"((?!\?\{)[^\"'\\]{4,})"
)
_OPTION = r"(?<![\w-])(--?[\w-]*(?:password|passwd|token|secret|api-?key)=)([^\s\"']+)"
_NAMED_VARIABLE = (
    *("TOKEN", "PASS", "PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "SECRET", "CREDENTIAL"),
    *("CREDENTIALS", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY"),
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class Redactor:
    """A filter for everything that leaves the process; it knows the secrets of this run."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()
        self._known: set[str] = set()
        self._environment = False

    def learn(self, *values: str) -> None:
        """Mask these values from now on, however they are encoded."""
        new = set(filter(_is_worth_knowing, map(str.strip, values))) - self._known
        if new:
            self._known |= new
            forms = {form for value in self._known for form in _forms_of(value)}
            self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))

    def learn_if_random(self, value: str) -> None:
        """Learn a secret that may be a word, such as the name of a user."""
        if _is_random(value):
            self.learn(value)

    def learn_variables(self, variables: Mapping[str, str | None]) -> None:
        """Mask the values of variables that are named as secrets."""
        named = (v for name, v in variables.items() if v and name.upper().endswith(_NAMED_VARIABLE))
        # A file or a plain word is a place or a choice: it would be masked in every text.
        for value in named:
            if not value.startswith(("/", "~", ".")):
                self.learn_if_random(value)

    def masked(self, text: str) -> str:
        """A text that may be shown."""
        if not self._environment:
            self._environment = True
            self.learn_variables(os.environ)
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return masked_by_form(text)

    def message(self, text: str) -> str:
        """Mask a message, which may repeat what a server or a program has printed."""
        return _without_fields(self.masked(text))

    def masked_value(self, value: Any) -> Any:  # noqa: ANN401 - a result, of texts and numbers
        """A result for programs, with all of its texts masked."""
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, Mapping):
            return {self.masked_value(key): self.masked_value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.masked_value(item) for item in value]
        return value


REDACTOR = Redactor()
"""That of this process; workers are forks, and know what was known before."""


def without_secrets(text: str) -> str:
    """A URL, or a text with URLs in it, that may be shown."""
    return REDACTOR.message(text)


def masked_by_form(text: str) -> str:
    """A text without what has the form of a credential (pure)."""
    # Most texts have nothing of all this: only what is worth a look is looked at.
    if "@" in text and "/" in text:
        text = _without_users(text)
    if "%40" in text:
        text = _compiled(_ENCODED_USER_INFO).sub(rf"\1{MASK}%40", text)
    if "=" in text or "%3" in text:
        text = _without_values(text)
        if "-" in text:
            text = _compiled(_OPTION).sub(rf"\1{MASK}", text)
    lower = text.lower()
    if "bearer" in lower or "basic" in lower:
        text = _compiled(_SCHEMES).sub(_without_word, text)
    return text


def shown_command(words: Sequence[str]) -> str:
    """A program's command line that may be shown."""
    import shlex

    shown = list(words)
    for at, word in enumerate(words[:-1]):
        if (
            word.startswith("-")
            and "=" not in word
            and _compiled(_NAMED_MEMBER).search(word.lstrip("-"))
        ):
            shown[at + 1] = MASK
    return REDACTOR.message(shlex.join(shown)).replace(f"'{MASK}'", MASK)


def _without_fields(text: str) -> str:
    """Without headers and JSON members: manifests have fields of the same names."""
    lower = text.lower()
    if any(word in lower for word in ("authorization", "-token", "-api-key", "cookie")):
        text = _compiled(_HEADER).sub(rf"\1{MASK}", text)
    if '"' in text or "'" in text:
        text = _compiled(_MEMBER).sub(rf"\1{MASK}", text)
    return text


def _without_users(text: str) -> str:
    """Without users and passwords in URLs; each character is looked at once, however long it is."""
    pieces, copied = [], 0
    separators = [(match.start(), match.end()) for match in _compiled(_SLASHES).finditer(text)]
    for number, (start, end) in enumerate(separators):
        following = separators[number + 1][0] if number + 1 < len(separators) else len(text)
        end_of_url = _compiled(_AFTER_URL).search(text, end, following)
        rest = text[end : end_of_url.start() if end_of_url else following]
        scheme = _compiled(_SCHEME).search(text[max(0, start - 20) : start])
        user_info = _user_info(rest) if scheme else ""
        if scheme and user_info:
            pieces += [text[copied:end], _shown_user(scheme[0].lower(), user_info)]
            copied = end + len(user_info)
    return "".join([*pieces, text[copied:]])


def _user_info(rest: str) -> str:
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    if "@" in authority:
        return authority.rpartition("@")[0]
    # A password may hold a slash, though it should not; what is behind a colon may be a port.
    if ":" not in authority or authority.startswith("[") or _compiled(_PORT).match(authority):
        return ""
    return rest.rpartition("@")[0]


def _shown_user(scheme: str, user_info: str) -> str:
    user, colon, _ = user_info.partition(":")
    if scheme in _SSH or user in PUBLIC_USERS:
        return f"{user}:{MASK}" if colon else user
    return MASK


def _without_values(text: str) -> str:
    """Without the values of a query's secret members; the value of another may be a URL, too."""
    pieces, at, copied = [], 0, 0
    while match := _compiled(_IN_QUERY).search(text, at):
        at = match.end()
        name = unquote(match[2]).strip("[]")
        value = _compiled(_VALUE).match(text, at)
        if value and name.lower() not in _NOT_SECRET and _compiled(_NAMED_MEMBER).search(name):
            pieces += [text[copied:at], MASK]
            at = copied = value.end()
    return "".join([*pieces, text[copied:]])


def _without_word(match: re.Match[str]) -> str:
    scheme, space, word = match.groups()
    # "basic" is also an English word; credentials are a base64 that holds a colon.
    if scheme.lower() == "basic" and ":" not in _decoded(word):
        return match[0]
    return f"{scheme}{space}{MASK}"


def _decoded(word: str) -> str:
    import base64

    try:
        padded = word.rstrip("=") + "=" * (-len(word.rstrip("=")) % 4)
        return base64.b64decode(
            padded, altchars=b"-_" if "-" in word or "_" in word else None
        ).decode("latin-1")
    except ValueError:
        return ""


def _is_worth_knowing(value: str) -> bool:
    # A short word is part of many texts: it would be masked in all of them.
    is_word = value.isascii() and value.isalpha() and value.islower() and len(value) < 2 * _SHORTEST
    return len(value) >= _SHORTEST and not is_word and value not in _ROLES


def _is_random(value: str) -> bool:
    return len(value) >= 2 * _SHORTEST or (
        len(value) > _SHORTEST and any(c.isdigit() for c in value) and not value.isdigit()
    )


def _forms_of(value: str) -> Iterable[str]:
    """A value as it is written in texts, URLs, JSON and headers."""
    import base64
    import json

    encoders: tuple[Callable[[str], str], ...] = (
        str,
        lambda text: quote(text, safe=""),
        quote_plus,
        lambda text: json.dumps(text)[1:-1],
        lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    )
    for encode in encoders:
        yield (encoded := encode(value))
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), encoded)
    raw = value.encode(errors="surrogateescape")
    # A text in base64 has one of three forms, by what is before it.
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + raw)
        first, last = (0, 2, 3)[before], (len(raw) + before) * 8 // 6
        core = whole[first:last].decode()
        if len(core) >= _SHORTEST:
            yield core
            yield core.replace("+", "-").replace("/", "_")
