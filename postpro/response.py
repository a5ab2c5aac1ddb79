"""A response surface: a polynomial of second degree in the inputs of a campaign, by least squares.

y = b0 + sum b_i z_i + sum b_ij z_i z_j, where z_i goes from -1 to 1 over the values of input i. An input with two
values has no square. How good it is, runs tell that it has not seen: each is predicted by the surface of all others
(leave one out, by the diagonal of the hat matrix: e_k / (1 - H_kk))."""
import itertools

import numpy as np


class Surface:
    def __init__(self, names, inputs, y):
        """inputs: a column for each name. Raises ValueError if there are too few runs."""
        inputs, y = np.asarray(inputs, float).reshape(len(y), -1), np.asarray(y, float)
        good = np.isfinite(y)
        inputs, y = inputs[good], y[good]
        levels = [len(np.unique(column)) for column in inputs.T]
        used = [k for k, n in enumerate(levels) if n > 1]
        self.names, self.used = [names[k] for k in used], used
        self.low, self.high = (f(inputs[:, used], axis=0) if len(y) and used else np.zeros(0) for f in (np.min, np.max))
        self.terms = [(), *((k,) for k in range(len(used))),
                      *((i, j) for i, j in itertools.combinations_with_replacement(range(len(used)), 2)
                        if i != j or levels[used[i]] > 2)]
        A = self.matrix(inputs)
        if not used or len(y) < len(self.terms) + 1 or np.linalg.matrix_rank(A) < len(self.terms):
            raise ValueError(f"a surface of {len(self.terms)} coefficients needs {len(self.terms) + 1} runs or more "
                             f"that differ enough, and there are {len(y)}")
        self.runs = len(y)
        self.b, *_ = np.linalg.lstsq(A, y, rcond=None)
        q, _ = np.linalg.qr(A)
        rest = y - A @ self.b
        left = 1 - np.sum(q**2, axis=1)
        free = len(y) - len(self.terms)
        spread = np.sum((y - y.mean())**2)
        self.residual = np.sqrt(np.sum(rest**2) / free)  # standard deviation of what the surface leaves
        self.deviations = self.residual * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
        unseen = rest / np.where(left > 1e-9, left, np.nan)
        self.unseen = np.sqrt(np.mean(unseen**2))  # nan if a run alone has fixed a coefficient
        self.r2 = 1 - np.sum(rest**2) / spread if spread > 0 else np.nan
        self.r2_unseen = 1 - np.sum(unseen**2) / spread if spread > 0 else np.nan

    def matrix(self, inputs):
        z = 2 * (np.asarray(inputs, float)[:, self.used] - self.low) / np.where(self.high > self.low,
                                                                             self.high - self.low, 1) - 1
        return np.stack([np.prod(z[:, list(term)], axis=1) for term in self.terms], axis=1)

    def __call__(self, inputs):
        return self.matrix(inputs) @ self.b

    def term_names(self):
        return ["1" if not t else " ".join(self.names[k] for k in t) if len(set(t)) == len(t)
                else f"{self.names[t[0]]}^2" for t in self.terms]

    def extremes(self, points=41):
        """The least and the largest value between the values of the inputs, and where: (place, value) of each, by a
        grid; places hold the inputs that are used."""
        per_axis = max(3, min(points, int(200000 ** (1 / len(self.used)))))
        axes = [np.linspace(low, high, per_axis) for low, high in zip(self.low, self.high)]
        places = np.stack([m.ravel() for m in np.meshgrid(*axes, indexing="ij")], axis=1)
        full = np.zeros((len(places), max(self.used) + 1))
        full[:, self.used] = places
        y = self(full)
        return [(dict(zip(self.names, places[k])), y[k]) for k in (np.argmin(y), np.argmax(y))]
