"""Who may talk to a test's servers, and how."""

import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from tests.tools import OPENSSL, require

__all__ = ["ADMIN", "PEER", "Access", "secured"]

ADMIN = "admin"
"""The user that tests look and meddle with."""

PEER = "peer"
"""The user that servers and sentinels talk to each other with: `Node.isolate` locks it out."""

USER = "south-seas-service"
EVERYTHING = "~* &* +@all"


class Access(NamedTuple):
    """What the servers of one deployment ask for; made by `secured`."""

    acl: str
    """What the service's own user may do, in the words of `ACL SETUSER`."""
    certificate: Path | None
    """A PEM file with certificate and key, that all servers and all clients must show; None: no TLS."""
    inner: str
    """The password of ADMIN and PEER."""
    password: str = "p:/@s%"
    """The service's, with characters that a URL must encode."""

    @property
    def user(self) -> str:
        """Before the `@` of the URL."""
        return f"{quote(USER)}:{quote(self.password, safe='')}@"

    @property
    def files(self) -> dict[str, str]:
        """Options of the URL."""
        if self.certificate is None:
            return {}
        named = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
        return {name: str(self.certificate) for name in named}

    def query(self, options: Mapping[str, str]) -> str:
        """The end of the URL: these options and the files."""
        options = {**options, **self.files}
        return f"?{urlencode(options)}" if options else ""

    def settings(self) -> list[str]:
        """Lines of a data server's configuration."""
        users = ["user default off ~* &* +@all", f'user {USER} on ">{self.password}" {self.acl}']
        users += (f"user {name} on >{self.inner} {EVERYTHING}" for name in (ADMIN, PEER))
        return [*users, f"masteruser {PEER}", f"masterauth {self.inner}", *self.transport()]

    def transport(self) -> list[str]:
        """Lines of any server's configuration that say how it is spoken to."""
        if self.certificate is None:
            return []
        pem = self.certificate
        files = [f"tls-{name} {pem}" for name in ("cert-file", "key-file", "ca-cert-file")]
        return [*files, "tls-auth-clients yes", "tls-replication yes"]

    def admin(self) -> dict[str, Any]:
        """Arguments of a client that may do anything."""
        tls = {"ssl": True, **self.files} if self.certificate is not None else {}
        return {"username": ADMIN, "password": self.inner, **tls}


def secured(directory: Path, acl: str = EVERYTHING, *, tls: bool = False) -> Access:
    """Access with secrets of its own; with `tls` a certificate is made in `directory`."""
    return Access(acl, _certificate(directory) if tls else None, inner=secrets.token_hex(16))


def _certificate(directory: Path) -> Path:
    """A certificate for 127.0.0.1, that is its own authority, with its key."""
    openssl = str(require(OPENSSL))
    pem, key = directory / "tls.pem", directory / "tls.key"
    subprocess.run(
        (
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(key), "-out", str(pem)),
        ),
        check=True,
        capture_output=True,
    )
    pem.write_text(pem.read_text() + key.read_text())
    return pem
