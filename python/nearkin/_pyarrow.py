"""pyarrow where it is installed; None where not."""

from typing import Any

pa: Any = None
pc: Any = None
pq: Any = None
try:
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet
except ImportError:
    pass
else:
    pa, pc, pq = pyarrow, pyarrow.compute, pyarrow.parquet

__all__ = ["pa", "pc", "pq"]
