#!/usr/bin/env python3
"""Compares the forward pass of senet with that of onnxruntime. Run by forward.sh.

The ONNX graph has the same layers and weights as senet's network. onnxruntime runs it in float and
with dynamically quantised 8-bit weights, on one thread, and gets dense rows: it has no sparse ones.
It computes all policy logits. senet runs its fused and int8 evaluators on two kinds of rows: the
sparse rows of a search, with the logits of legal moves, and dense rows with all logits.
"""
import argparse
import json
import logging
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

BATCHES = (1, 16, 64, 256)
SECONDS = 0.5


def read_weights(file):
    """The metadata and the tensors, f32, of a safetensors file."""
    data = file.read_bytes()
    length, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        flat = np.frombuffer(data, np.float32, (end - begin) // 4, 8 + length + begin)
        tensors[name] = flat.reshape(tensor["shape"])
    return metadata, tensors


class Graph:
    """An ONNX graph of a network: nn/layer_plan.cpp has the same order of layers."""

    def __init__(self, metadata, tensors):
        self.tensors, self.nodes, self.constants = tensors, [], []
        has_norm = metadata.get("norm", "1") != "0"
        activate = self.norm if has_norm else self.relu
        blocks = int(metadata["blocks"])
        stream = activate("input.norm", self.linear("input.linear", "features"))
        for i in range(blocks):
            x = activate(f"block.{i}.norm1", stream)
            x = self.linear(f"block.{i}.linear1", x)
            x = activate(f"block.{i}.norm2", x)
            stream = self.node("Add", [stream, self.linear(f"block.{i}.linear2", x)])
        fork = activate("trunk.norm", stream) if has_norm or blocks > 0 else stream
        outputs = []
        for head in ("policy", "value"):
            if f"{head}.out.weight" not in tensors:
                continue
            x, i = fork, 0
            while f"{head}.{i}.linear.weight" in tensors:
                x = activate(f"{head}.{i}.norm", self.linear(f"{head}.{i}.linear", x))
                i += 1
            x = self.linear(f"{head}.out", x)
            outputs.append(self.node("Softmax", [x], axis=1) if head == "value" else x)
        features = [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", int(metadata["features"])])]
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", None]) for name in outputs]
        graph = helper.make_graph(self.nodes, "network", features, infos, self.constants)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(self.model)

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind, inputs, **attributes):
        output = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(self, name, x):
        weight = self.constant(f"{name}.weight", self.tensors[f"{name}.weight"].T)
        product = self.node("MatMul", [x, weight])  # which the quantiser knows, unlike Gemm
        return self.node("Add", [product, self.constant(f"{name}.bias", self.tensors[f"{name}.bias"])])

    def norm(self, name, x):
        scale = self.constant(f"{name}.weight", self.tensors[f"{name}.weight"])
        shift = self.constant(f"{name}.bias", self.tensors[f"{name}.bias"])
        return self.relu(name, self.node("LayerNormalization", [x, scale, shift], axis=1, epsilon=1e-5))

    def relu(self, _, x):
        return self.node("Relu", [x])


def onnx_sessions(metadata, tensors, folder):
    logging.disable(logging.WARNING)  # advice on quantising
    plain, quantised = folder / "plain.onnx", folder / "quantised.onnx"
    onnx.save(Graph(metadata, tensors).model, plain)
    quantize_dynamic(plain, quantised, weight_type=QuantType.QInt8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return {name: onnxruntime.InferenceSession(str(file), options, ["CPUExecutionProvider"])
            for name, file in (("fp32", plain), ("int8", quantised))}


def onnx_rate(session, rows):
    """States per second."""
    features = {"features": rows}
    for _ in range(5):
        session.run(None, features)
    passes, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        session.run(None, features)
        passes += 1
    return passes * len(rows) / (time.perf_counter() - began)


def senet_rates(program, metadata, weights, evaluator):
    """States per second by kind of rows and batch."""
    command = [program, "bench", "forward", "--game", metadata["game"], "--network", weights,
               "--mode", metadata.get("evaluates", "position"), "--evaluator", evaluator,
               "--seconds", SECONDS, "--json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"forward.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    rates = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if line["metric"] == "states_per_second":
            kind, batch = line["case"].split("/")[-2:]
            rates[kind, int(batch.removeprefix("batch-"))] = line["value"]
    return rates


def compare(program, weights, rounds):
    metadata, tensors = read_weights(weights)
    random = np.random.default_rng(1)
    batches = {rows: np.where(random.random((rows, int(metadata["features"]))) < 0.1, 1, 0).astype(np.float32)
               for rows in BATCHES}
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        sessions = onnx_sessions(metadata, tensors, pathlib.Path(folder))
        for _ in range(rounds):
            for name, session in sessions.items():
                for rows in BATCHES:
                    rates.setdefault(("onnxruntime", name, rows), []).append(onnx_rate(session, batches[rows]))
            for evaluator in ("fused", "int8"):
                for (kind, rows), rate in senet_rates(program, metadata, weights, evaluator).items():
                    rates.setdefault((kind, evaluator, rows), []).append(rate)
    parameters = sum(tensor.size for tensor in tensors.values())
    print(f"\n{weights}, {parameters:,} parameters; thousands of states per second, medians of {rounds} rounds\n")
    print("| batch | onnxruntime fp32 | int8 | senet fused, dense | int8, dense | fused, sparse | int8, sparse "
          "| best dense / onnxruntime's best | best sparse / onnxruntime's best |")
    print("|" + "--:|" * 9)
    for rows in BATCHES:
        middle = {key[:2]: statistics.median(all_rates) for key, all_rates in rates.items() if key[2] == rows}
        columns = [middle[key] for key in (("onnxruntime", "fp32"), ("onnxruntime", "int8"), ("dense", "fused"),
                                           ("dense", "int8"), ("sparse", "fused"), ("sparse", "int8"))]
        theirs = max(columns[:2])
        print(f"| {rows} | " + " | ".join(f"{column / 1000:.1f}" for column in columns) +
              f" | {max(columns[2:4]) / theirs:.2f} | {max(columns[4:]) / theirs:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", nargs="*", type=pathlib.Path,
                        default=[pathlib.Path(f"games/{game}/model.safetensors")
                                 for game in ("connect_four", "backgammon")])
    parser.add_argument("--senet", type=pathlib.Path, default=pathlib.Path("build/release/tools/senet"))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"onnxruntime {onnxruntime.__version__}, one thread")
    for weights in arguments.weights:
        compare(arguments.senet, weights, arguments.rounds)


if __name__ == "__main__":
    main()
