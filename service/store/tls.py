"""How a connection to Redis is secured, as the options of its URL say."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

__all__ = ["FILES", "BadTls", "context"]

FILES = ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile")

_REQUIRED = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


T = TypeVar("T")


class BadTls(ValueError):
    """The options cannot be used; the message goes on after "the Redis URL"."""


def context(options: Mapping[str, str]) -> ssl.SSLContext:
    """What verifies the server, and shows who we are where there is a certificate. Raises BadTls."""
    for name in FILES:
        if name in options and not Path(options[name]).exists():
            raise BadTls(f"names by {name} a file that does not exist")
    if "ssl_keyfile" in options and "ssl_certfile" not in options:
        raise BadTls("names by ssl_keyfile a key without the certificate (ssl_certfile)")
    required = _chosen(_REQUIRED, options, "ssl_cert_reqs", "required")
    checked = _chosen(_TRUTHS, options, "ssl_check_hostname", "true")
    made = _trusting(options)
    made.check_hostname = checked and required is ssl.CERT_REQUIRED
    made.verify_mode = required
    if "ssl_certfile" in options:
        try:
            made.load_cert_chain(options["ssl_certfile"], options.get("ssl_keyfile"))
        except OSError as error:
            raise BadTls(f"names by ssl_certfile no certificate with its key ({_said(error)})") from None
    return made


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
