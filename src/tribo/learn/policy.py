"""A learnt policy as arrays of NumPy: small, kept in a file, run without PyTorch."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tribo.batch.network import Network
from tribo.checks import check
from tribo.checks.array_files import read_arrays
from tribo.checks.calls import record
from tribo.checks.replacing import write_whole
from tribo.checks.sealed import Answering

FARTHEST = 10.0  # [–] what is seen is limited to as many deviations
LARGEST = 1 << 28  # bytes of a policy's arrays
FORM = 1  # of the file


@record
@dataclass(frozen=True, eq=False)
class Policy(Answering):
    """A policy, actions from observations: layers with ELU between them.

    Example:
        >>> import numpy as np
        >>> layer = (np.array([[1.0, 0.0]], np.float32), np.zeros(1, np.float32))
        >>> policy = Policy("any", np.zeros(2), np.ones(2), [layer], np.array([-1.0]), np.array([1.0]))
        >>> policy(np.array([[0.5, 3.0], [7.0, 0.0]])).tolist()
        [[0.5], [1.0]]
    """

    task: str
    mean: np.ndarray  # (n,) of what is seen
    deviation: np.ndarray  # (n,)
    layers: list[tuple[np.ndarray, np.ndarray]]  # weights (out, in) and bias (out,) of each
    low: np.ndarray  # (k,) of the actions
    high: np.ndarray  # (k,)

    def __call__(self, seen: Any) -> np.ndarray:
        """Return actions, (worlds, k) or (k,), for observations (worlds, n) or (n,).

        Raises:
            ValueError: The number of observations is another one.
        """
        given = np.asarray(seen, np.float32)
        if given.shape[-1:] != self.mean.shape:
            raise ValueError(
                f"the policy of {self.task} takes {len(self.mean)} observations, got shape {given.shape}"
            )
        value = np.clip((given - self.mean) / self.deviation, -FARTHEST, FARTHEST).astype(np.float32)
        for k, (weight, bias) in enumerate(self.layers):
            value = value @ weight.T + bias
            if k + 1 < len(self.layers):
                value = np.where(value > 0.0, value, np.expm1(np.minimum(value, 0.0)))
        middle, span = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)
        return np.asarray(np.clip(middle + span * value, self.low, self.high))

    def network(self) -> Network:
        """Return the same for `Batch.set_policy`, which runs it in compiled code, in float64.

        Example:
            >>> import numpy as np
            >>> layer = (np.array([[1.0, 0.0]], np.float32), np.zeros(1, np.float32))
            >>> policy = Policy("any", np.zeros(2), np.ones(2), [layer], np.array([-1.0]), np.array([1.0]))
            >>> policy.network()([0.5, 3.0]).tolist()
            [0.5]
        """
        return Network(
            self.layers, "elu", mean=self.mean, deviation=self.deviation, farthest=FARTHEST,
            middle=0.5 * (self.low + self.high), span=0.5 * (self.high - self.low),
            low=self.low, high=self.high,
        )  # fmt: skip

    def save(self, path: str | Path) -> None:
        """Write the policy as .npz; a file of that name is replaced at once or not at all."""
        arrays: dict[str, Any] = {
            "form": np.array(FORM), "task": np.array(self.task), "mean": self.mean,
            "deviation": self.deviation, "low": self.low, "high": self.high,
        }  # fmt: skip
        for k, (weight, bias) in enumerate(self.layers):
            arrays |= {f"weight_{k}": weight, f"bias_{k}": bias}
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        write_whole(path, stream.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy that `save` wrote; nothing in the file is executed.

        Raises:
            OSError: There is no such file.
            ValueError: It is no policy, of another version, or larger than 256 MiB.
        """
        try:
            arrays = read_arrays(path, LARGEST)
            count = sum(name.startswith("weight_") for name in arrays)
            layers = [(arrays[f"weight_{k}"], arrays[f"bias_{k}"]) for k in range(count)]
            if arrays["form"].shape != () or arrays["form"] != FORM:
                raise ValueError(f"its form is {arrays['form']}, this version reads {FORM}")
            if arrays["task"].dtype.kind != "U" or arrays["task"].shape != ():
                raise ValueError("its task is no name")
            rest = [arrays[name] for name in ("low", "high")]
            made = cls(str(arrays["task"]), arrays["mean"], arrays["deviation"], layers, *rest)
            made._check()
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}: is no policy of 'tribo train': {error}") from None
        return made

    def _check(self) -> None:
        """Refuse layers that do not fit together.

        Raises:
            ValueError: They do not.
        """
        arrays = [self.mean, self.deviation, self.low, self.high, *(a for pair in self.layers for a in pair)]
        for array in arrays:
            if array.dtype.kind != "f" or not np.isfinite(array).all():
                raise ValueError("the policy holds what is no finite number")
        if self.mean.ndim != 1 or self.deviation.shape != self.mean.shape or not (self.deviation > 0.0).all():
            raise ValueError("the policy's means and deviations do not fit together")
        width = len(self.mean)
        for k, (weight, bias) in enumerate(self.layers):
            if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
                raise ValueError(f"layer {k} of the policy takes {width} numbers, it is {weight.shape}")
            width = len(bias)
        if not self.layers or self.low.shape != (width,) or self.high.shape != (width,):
            raise ValueError(
                f"the last layer of the policy gives {width} numbers, limits are {self.low.shape}"
            )
        if not (self.low < self.high).all():
            raise ValueError("the policy's lower limits of actions are not below the upper ones")

    def save_onnx(self, path: str | Path) -> None:
        """Write the policy as ONNX: "observation" (worlds, n) of float32 in, "action" (worlds, k) out.

        Raises:
            ImportError: onnx is missing; the message says how to get it.
        """
        onnx = onnx_modules()
        helper, numpy_helper, number = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
        constants: dict[str, np.ndarray] = {
            "mean": self.mean, "deviation": self.deviation, "low": self.low, "high": self.high,
            "middle": 0.5 * (self.low + self.high), "span": 0.5 * (self.high - self.low),
            "least": np.array(-FARTHEST), "most": np.array(FARTHEST),
        }  # fmt: skip
        nodes = [
            helper.make_node("Sub", ["observation", "mean"], ["centred"]),
            helper.make_node("Div", ["centred", "deviation"], ["scaled"]),
            helper.make_node("Clip", ["scaled", "least", "most"], ["x0"]),
        ]
        for k, (weight, bias) in enumerate(self.layers):
            constants |= {f"weight_{k}": weight, f"bias_{k}": bias}
            nodes.append(helper.make_node("Gemm", [f"x{k}", f"weight_{k}", f"bias_{k}"], [f"y{k}"], transB=1))
            if k + 1 < len(self.layers):
                nodes.append(helper.make_node("Elu", [f"y{k}"], [f"x{k + 1}"]))
        nodes += [
            helper.make_node("Mul", [f"y{len(self.layers) - 1}", "span"], ["stretched"]),
            helper.make_node("Add", ["stretched", "middle"], ["free"]),
            helper.make_node("Max", ["free", "low"], ["raised"]),
            helper.make_node("Min", ["raised", "high"], ["action"]),
        ]
        graph = helper.make_graph(
            nodes, "policy",
            [helper.make_tensor_value_info("observation", number, ["worlds", len(self.mean)])],
            [helper.make_tensor_value_info("action", number, ["worlds", len(self.low)])],
            [numpy_helper.from_array(np.asarray(a, np.float32), name) for name, a in constants.items()],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        model.doc_string = f"policy of {self.task}, trained by tribo"
        onnx.checker.check_model(model)
        write_whole(path, model.SerializeToString())


def onnx_modules() -> Any:
    """Return the package `onnx` with what writes a model.

    Raises:
        ImportError: It is missing; the message says how to get it.
    """
    with check.needed('ONNX files need onnx: pip install "tribo[learn]"'):
        import onnx
        from onnx import helper, numpy_helper
    del helper, numpy_helper  # parts that the package does not load by itself
    return onnx
