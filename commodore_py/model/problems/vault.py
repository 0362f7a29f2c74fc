"""How to look up secrets in Vault: the servers, and the credentials."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Login:
    """How to log in: a token, else an AppRole, else a role for a Kubernetes service account."""

    token: str = ""
    role_id: str = ""
    secret_id: str = ""
    kubernetes_role: str = ""
    kubernetes_token: str = ""

    def __repr__(self) -> str:
        """Show no secret."""
        return f"Login({self.identity()})"

    def identity(self) -> str:
        """Who it is, for messages."""
        if self.token:
            return "a token"
        if self.role_id:
            return f"AppRole {self.role_id}"
        if self.kubernetes_role:
            return f"Kubernetes role {self.kubernetes_role}"
        return "anonymous"


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """Requests that the user allows a check."""

    addresses: tuple[str, ...] = ()
    """The only servers that get a request."""
    login: Login = Login()
