"""How connections to Redis are secured: the options of its URL, checked before redis-py takes them."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["FILES", "BadTls", "tls_options"]

FILES = ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile")

_REQUIRED = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


T = TypeVar("T")


class BadTls(ValueError):
    """The options cannot be used; the message goes on after "the Redis URL"."""


def tls_options(options: Mapping[str, str]) -> dict[str, Any]:
    """Options of redis-py's clients, of which all can be used. Raises BadTls."""
    files = {name: options[name] for name in FILES if name in options}
    for name, path in files.items():
        if not Path(path).exists():
            raise BadTls(f"names by {name} a file that does not exist")
    if "ssl_keyfile" in files and "ssl_certfile" not in files:
        raise BadTls("names by ssl_keyfile a key without the certificate (ssl_certfile)")
    required = _chosen(_REQUIRED, options, "ssl_cert_reqs", "required")
    checked = _chosen(_TRUTHS, options, "ssl_check_hostname", "true") and required is ssl.CERT_REQUIRED
    context = _trusting(options)
    if "ssl_certfile" in files:
        try:
            context.load_cert_chain(files["ssl_certfile"], files.get("ssl_keyfile"))
        except OSError as error:
            raise BadTls(f"names by ssl_certfile no certificate with its key ({_said(error)})") from None
    return {"ssl": True, "ssl_cert_reqs": required, "ssl_check_hostname": checked, **files}


def _trusting(options: Mapping[str, str]) -> ssl.SSLContext:
    """Trusts the authorities that are named; where none is, those of the system."""
    try:
        return ssl.create_default_context(cafile=options.get("ssl_ca_certs"), capath=options.get("ssl_ca_path"))
    except OSError as error:
        raise BadTls(f"names by ssl_ca_certs or ssl_ca_path no certificates ({_said(error)})") from None


def _said(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _chosen(known: Mapping[str, T], options: Mapping[str, str], name: str, default: str) -> T:
    value = options.get(name, default).lower()
    if value not in known:
        raise BadTls(f"has {name} other than {', '.join(known)}")
    return known[value]
