"""Self-signed certificates for the test servers."""

from __future__ import annotations

import datetime as dt
import ipaddress
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Flaw = Literal["valid", "expired", "wrong-name"]


def make_certificate(flaw: Flaw = "valid") -> tuple[str, str]:
    """Return a private key and its certificate as PEM text.

    The certificate is for 127.0.0.1, localhost and `*.site.test`, unless *flaw* is "wrong-name".
    """
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "scripted server")])
    now = dt.datetime.now(dt.timezone.utc)
    end = now + dt.timedelta(days=-1 if flaw == "expired" else 30)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=30))
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_names(flaw), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    return private.decode(), public.decode()


def _names(flaw: Flaw) -> x509.SubjectAlternativeName:
    if flaw == "wrong-name":
        return x509.SubjectAlternativeName([x509.DNSName("other-host.example")])
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    names = [x509.DNSName(name) for name in ("localhost", "*.site.test")]
    return x509.SubjectAlternativeName([loopback, *names])
