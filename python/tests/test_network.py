"""senet.Network: files, state dictionaries, PyTorch and ONNX."""

import numpy as np
import pytest

import senet

SPECS = [
    {"game": "connect_four", "width": 32, "blocks": 2},
    {"game": "connect_four", "width": 32, "blocks": 0, "norm": 0, "value_layers": 2},
    {"game": "backgammon", "width": 24, "blocks": 1, "policy_head": 0, "value_width": 16},
    {"game": "tic_tac_toe", "width": 16, "blocks": 1, "policy_layers": 0, "value_layers": 0},
    {"game": "cube2", "width": 16, "blocks": 1, "dueling": 1, "evaluates": "moves"},
]


def features(game, count=50):
    env = senet.VecEnv(game, count, seed=4)
    env.reset()
    for _ in range(3):
        obs = env.step(env.sample())[0]
    return obs.copy()


@pytest.mark.parametrize("spec", SPECS)
def test_a_state_dictionary_comes_back(spec, tmp_path):
    network = senet.Network.untrained(spec, seed=3)
    for name, value in spec.items():
        assert network.spec[name] == value
    again = senet.Network.from_state_dict(network.spec, network.state_dict())
    assert again.id == network.id and again.spec == network.spec
    network.save(tmp_path / "network.safetensors")
    assert senet.Network(tmp_path / "network.safetensors").id == network.id
    assert senet.Network.untrained(spec, seed=4).id != network.id


def test_the_file_may_be_overwritten(tmp_path):
    network = senet.Network.untrained(SPECS[0])
    network.save(tmp_path / "n.safetensors")
    loaded = senet.Network(tmp_path / "n.safetensors")
    (tmp_path / "n.safetensors").write_bytes(b"")
    assert loaded.id == network.id
    with pytest.raises(ValueError, match="n.safetensors"):
        senet.Network(tmp_path / "n.safetensors")
    with pytest.raises(ValueError, match="missing.safetensors"):
        senet.Network(tmp_path / "missing.safetensors")


def test_other_libraries_read_its_files(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    network = senet.Network.untrained(SPECS[0])
    network.save(tmp_path / "n.safetensors")
    tensors = safetensors.load_file(tmp_path / "n.safetensors")
    for name, tensor in network.state_dict().items():
        np.testing.assert_array_equal(tensors[name].reshape(tensor.shape), tensor)


def test_wrong_state_dictionaries():
    network = senet.Network.untrained(SPECS[0])
    good = network.state_dict()

    def make(changes, spec=network.spec):
        tensors = {**good, **changes}
        return senet.Network.from_state_dict(spec, {k: v for k, v in tensors.items() if v is not None})

    with pytest.raises(KeyError, match="value.out.bias"):
        make({"value.out.bias": None})
    with pytest.raises(KeyError, match="more"):
        make({"more": np.zeros(3, np.float32)})
    with pytest.raises(ValueError, match=r"its shape is \[4\], not \[3\]"):
        make({"value.out.bias": np.zeros(4, np.float32)})
    with pytest.raises(ValueError, match="not finite"):
        make({"value.out.bias": np.full(3, np.nan, np.float32)})
    with pytest.raises(TypeError, match="not an array"):
        make({"value.out.bias": "x"})
    with pytest.raises(KeyError, match="colour"):
        make({}, {**network.spec, "colour": 1})
    with pytest.raises(ValueError, match="width"):
        make({}, {**network.spec, "width": 0})


@pytest.mark.parametrize("spec", SPECS)
def test_evaluation_is_that_of_the_reference(spec):
    network = senet.Network.untrained(spec, seed=3)
    obs = features(spec["game"])
    logits, outcomes = network(obs)
    exact_logits, exact_outcomes = network(obs, evaluator="reference")
    np.testing.assert_allclose(outcomes, exact_outcomes, atol=1e-5)
    np.testing.assert_allclose(outcomes.sum(axis=1), 1, atol=1e-5)
    if spec.get("policy_head", 1) == 0:
        assert logits is None
    else:
        np.testing.assert_allclose(logits, exact_logits, atol=1e-4)
    with pytest.raises(ValueError, match="columns"):
        network(obs[:, 1:].copy())


@pytest.mark.parametrize("spec", SPECS)
def test_pytorch_has_the_same_numbers(spec):
    torch = pytest.importorskip("torch")
    from senet.torch import Module

    network = senet.Network.untrained(spec, seed=3)
    module = Module(network)
    assert set(module.state_dict()) == set(network.state_dict())
    obs = features(spec["game"])
    logits, outcomes = module(torch.from_numpy(obs))
    want_logits, want_outcomes = network(obs, evaluator="reference")
    np.testing.assert_allclose(outcomes.softmax(-1).detach(), want_outcomes, atol=1e-5)
    if logits is not None:
        np.testing.assert_allclose(logits.detach(), want_logits, atol=1e-4)
    assert module.to_network().id == network.id
    with torch.no_grad():
        next(module.parameters()).add_(1)
    assert module.to_network().id != network.id


@pytest.mark.parametrize("spec", [*SPECS, None])
def test_onnx_has_the_same_numbers(spec, tmp_path):
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    import senet.onnx

    network = (
        senet.Network.builtin("connect_four") if spec is None else senet.Network.untrained(spec, 3)
    )
    senet.onnx.export(network, tmp_path / "network.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "network.onnx")
    obs = features(network.game)
    got = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"features": obs})))
    logits, outcomes = network(obs, evaluator="reference")
    np.testing.assert_allclose(got["outcomes"], outcomes, atol=1e-4)
    if logits is None:
        assert "logits" not in got
    else:
        np.testing.assert_allclose(got["logits"], logits, atol=1e-4)
