"""The hash functions that datasketch's sketches are made with: the first bytes of SHA-1, little-endian."""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["sha1_hash32", "sha1_hash64"]


def sha1_hash32(data: Any) -> int:
    """The first 4 bytes of the SHA-1 of bytes, as a number."""
    return int.from_bytes(hashlib.sha1(data).digest()[:4], "little")


def sha1_hash64(data: Any) -> int:
    """The first 8 bytes of the SHA-1 of bytes, as a number."""
    return int.from_bytes(hashlib.sha1(data).digest()[:8], "little")
