"""Exports a senet.Network as an ONNX model."""

from __future__ import annotations

import os

import onnx
from onnx import TensorProto, helper, numpy_helper

from ._core import Network

__all__ = ["export", "model"]

_OPSET = 17  # the first with LayerNormalization


def model(network: Network) -> onnx.ModelProto:
    """The network as an ONNX model.

    Input `features` [n, features] f32, outputs `logits` [n, policy_logits] f32 (if there is a
    policy head; of a dueling network [n, policy_logits * outcomes], its advantages) and `outcomes`
    [n, outcomes] f32, probabilities. n is free.
    """
    spec, plan = network.spec, network.plan
    nodes = []
    names = ["features"]  # of the values
    for i, layer in enumerate(plan["layers"], start=1):
        source, name = names[layer["in"]], f"value_{i}"
        tensors = [layer["weight"], layer["bias"]]
        if layer["kind"] == "linear":
            product = name if layer["added"] is None else f"product_{i}"
            nodes.append(helper.make_node("Gemm", [source, *tensors], [product], transB=1))
            if layer["added"] is not None:
                nodes.append(helper.make_node("Add", [product, names[layer["added"]]], [name]))
        elif layer["kind"] == "norm_relu":
            nodes.append(
                helper.make_node(
                    "LayerNormalization",
                    [source, *tensors],
                    [f"norm_{i}"],
                    axis=-1,
                    epsilon=plan["norm_epsilon"],
                )
            )
            nodes.append(helper.make_node("Relu", [f"norm_{i}"], [name]))
        else:
            nodes.append(helper.make_node("Relu", [source], [name]))
        names.append(name)

    def rows_of(name: str, columns: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", columns])

    outputs = []
    if plan["policy"] is not None:
        nodes.append(helper.make_node("Identity", [names[plan["policy"]]], ["logits"]))
        outputs.append(rows_of("logits", plan["layers"][plan["policy"] - 1]["outputs"]))
    nodes.append(helper.make_node("Softmax", [names[plan["outcomes"]]], ["outcomes"], axis=-1))
    outputs.append(rows_of("outcomes", spec["outcomes"]))
    graph = helper.make_graph(
        nodes,
        spec["game"],
        [rows_of("features", spec["features"])],
        outputs,
        [numpy_helper.from_array(tensor, name) for name, tensor in network.state_dict().items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
    made.ir_version = 8  # of this operator set: older runtimes refuse newer ones
    onnx.checker.check_model(made)
    return made


def export(network: Network, file: str | os.PathLike) -> None:
    """Writes model(network) to a file."""
    onnx.save(model(network), os.fspath(file))
