"""WeightedMinHash: a sketch of a vector of weights, by consistent weighted sampling (Ioffe, "Improved Consistent Sampling, Weighted Minhash and L1 Sketching")."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ..._core import whole_number

__all__ = ["WeightedMinHash", "WeightedMinHashGenerator"]


class WeightedMinHash:
    """A sketch whose share of equal rows with another estimates the weighted Jaccard similarity."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, seed: int, hashvalues: Any):
        """`hashvalues`: a row per sample, of a dimension and a level."""
        self.seed = seed
        self.hashvalues: NDArray[Any] = np.asarray(hashvalues)

    def jaccard(self, other: WeightedMinHash) -> float:
        """The estimate of the weighted Jaccard similarity."""
        if not isinstance(other, WeightedMinHash):
            raise TypeError(f"other: {type(other).__name__} is no WeightedMinHash")
        if other.seed != self.seed:
            raise ValueError(f"seed: {self.seed} and {other.seed}; only sketches of one seed can be compared")
        if len(other) != len(self):
            raise ValueError(f"sample_size: {len(self)} and {len(other)}; only sketches of one size can be compared")
        return float(np.count_nonzero(np.all(self.hashvalues == other.hashvalues, axis=1)) / len(self))

    def digest(self) -> NDArray[Any]:
        """A copy of the values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """A sketch of its own with the same values."""
        return WeightedMinHash(self.seed, self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedMinHash):
            return NotImplemented
        return type(self) is type(other) and self.seed == other.seed and np.array_equal(self.hashvalues, other.hashvalues)


class WeightedMinHashGenerator:
    """Makes sketches of vectors of `dim` weights. Generators of one seed and size make sketches that can be compared."""

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1):
        whole_number(dim, "dim", 1, 2**31 - 1)
        whole_number(sample_size, "sample_size", 1, 2**31 - 1)
        draw = np.random.RandomState(seed)
        shape = (sample_size, dim)
        self.dim, self.sample_size, self.seed = dim, sample_size, seed
        self.rs = draw.gamma(2, 1, shape).astype(np.float32)
        self.ln_cs = np.log(draw.gamma(2, 1, shape)).astype(np.float32)
        self.betas = draw.uniform(0, 1, shape).astype(np.float32)

    def minhash(self, v: Any) -> WeightedMinHash:
        """The sketch of one vector."""
        if not hasattr(v, "__len__"):
            raise TypeError(f"v: {type(v).__name__}; a vector of {self.dim} weights is needed")
        weights = np.asarray(v, dtype=np.float64)
        if weights.shape != (self.dim,):
            raise ValueError(f"v: a vector of {self.dim} weights is needed, this has the shape {weights.shape}")
        made = self._sketch(np.flatnonzero(weights), weights[weights != 0])
        if made is None:
            raise ValueError("v: all weights are 0; one at least must be more")
        return made

    def minhash_many(self, X: Any) -> list[Optional[WeightedMinHash]]:
        """The sketch of each row of a NumPy or SciPy matrix, the same as that of minhash; None for a row without weights."""
        sparse = hasattr(X, "tocsr")
        if not sparse and not isinstance(X, np.ndarray):
            raise TypeError(f"X: {type(X).__name__}; a NumPy array or a sparse matrix of SciPy is needed")
        if len(X.shape) != 2 or X.shape[1] != self.dim:
            raise ValueError(f"X: rows of {self.dim} weights are needed, this has the shape {X.shape}")
        if not sparse:
            return [self._sketch(np.flatnonzero(row), row[row != 0].astype(np.float64)) for row in X]
        rows = X.tocsr().copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        bounds = zip(rows.indptr[:-1], rows.indptr[1:])
        return [self._sketch(rows.indices[begin:end], rows.data[begin:end].astype(np.float64)) for begin, end in bounds]

    def _sketch(self, at: NDArray[Any], weights: NDArray[np.float64]) -> Optional[WeightedMinHash]:
        """Of the dimensions that have a weight. In each sample the one with the least ln a is chosen."""
        if len(at) == 0:
            return None
        if not np.all(weights > 0) or not np.all(np.isfinite(weights)):
            raise ValueError("weights: a weight must be a finite number of 0 or more")
        rs, betas = self.rs[:, at], self.betas[:, at]
        levels = np.floor(np.log(weights) / rs + betas)
        chosen = np.argmin(self.ln_cs[:, at] - (levels - betas) * rs - rs, axis=1)
        return WeightedMinHash(self.seed, np.stack([at[chosen], levels[np.arange(self.sample_size), chosen]], axis=1).astype(int))
