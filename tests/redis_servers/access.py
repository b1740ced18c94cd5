"""Users, passwords and TLS of a test's servers.

The least permissions of the service's Redis user as ACL rules, as in docs/operating.md.

The user `default` may be `off`, but must keep its permissions (`off ~* &* +@all`). Redis loads its append-only file as
that user, and without them it silently skips every script that wrote more than once.
"""

import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from service.store.server_check import CLUSTER_COMMANDS, COMMANDS
from tests.tools import OPENSSL, require

ADMIN_USER = "admin"
"""The user of the tests themselves."""

PEER_USER = "peer"
"""The user of the servers and sentinels among themselves. `Node.isolate` disables it."""

SERVICE_USER = "south-seas-service"
ALLOW_ALL = "~* &* +@all"


class Access(NamedTuple):
    """The users and the certificate of one deployment; `create_access` creates it."""

    acl: str
    """The rules of the service's user for `ACL SETUSER`."""
    certificate: Path | None
    """A PEM file with the certificate and key of all servers and clients; None: no TLS."""
    admin_password: str
    """The password of ADMIN_USER and PEER_USER."""
    password: str = "p:/@s%"
    """The password of the service's user, with characters that a URL must encode."""

    @property
    def userinfo(self) -> str:
        """User and password for the URL, with the `@`."""
        return f"{quote(SERVICE_USER)}:{quote(self.password, safe='')}@"

    @property
    def tls_query(self) -> dict[str, str]:
        """The TLS options of the URL."""
        if self.certificate is None:
            return {}
        named = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
        return {name: str(self.certificate) for name in named}

    def format_query(self, options: Mapping[str, str]) -> str:
        """Return the query of the URL with these options and those for TLS."""
        options = {**options, **self.tls_query}
        return f"?{urlencode(options)}" if options else ""

    def server_config(self) -> list[str]:
        """Return lines of a data server's configuration."""
        users = ["user default off ~* &* +@all", f'user {SERVICE_USER} on ">{self.password}" {self.acl}']
        users += (f"user {name} on >{self.admin_password} {ALLOW_ALL}" for name in (ADMIN_USER, PEER_USER))
        return [*users, f"masteruser {PEER_USER}", f"masterauth {self.admin_password}", *self.tls_config()]

    def tls_config(self) -> list[str]:
        """Return the lines for TLS in the configuration of a data server or a sentinel."""
        if self.certificate is None:
            return []
        pem = self.certificate
        files = [f"tls-{name} {pem}" for name in ("cert-file", "key-file", "ca-cert-file")]
        return [*files, "tls-auth-clients yes", "tls-replication yes"]

    def admin_options(self) -> dict[str, Any]:
        """Return the keyword arguments of a client of ADMIN_USER."""
        tls = {"ssl": True, **self.tls_query} if self.certificate is not None else {}
        return {"username": ADMIN_USER, "password": self.admin_password, **tls}


def create_access(directory: Path, acl: str = ALLOW_ALL, *, tls: bool = False) -> Access:
    """Return access with random secrets; with `tls`, create a certificate in `directory`."""
    return Access(acl, _create_certificate(directory) if tls else None, admin_password=secrets.token_hex(16))


def _create_certificate(directory: Path) -> Path:
    """Create a self-signed certificate for 127.0.0.1 with its key."""
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


ACL = " ".join(("~south-seas:* &south-seas:* -@all", *(f"+{command}" for command in COMMANDS)))
"""Rules for `ACL SETUSER NAME on >PASSWORD ...`: keys and channels, then commands."""

CLUSTER_ACL = " ".join((ACL, *(f"+{command}" for command in CLUSTER_COMMANDS)))
"""The same for a Cluster."""

SENTINEL_ACL = "+auth +hello +sentinel|get-master-addr-by-name"
"""Rules for the user of the sentinels, if they require one."""
