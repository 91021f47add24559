"""senet.Run and senet.Records: a daemon, its games, and networks that go both ways."""

import json
import subprocess
import threading
import time

import numpy as np
import pytest

import senet
from senet.run import find_program

try:
    PROGRAM = find_program()
except FileNotFoundError as error:
    pytest.skip(str(error), allow_module_level=True)

TINY = {
    "workers": 1,
    "visits": 8,
    "width": 16,
    "blocks": 1,
    "begin_after": 100,
    "train_batch": 32,
    "quiet": True,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = senet.Run(tmp_path_factory.mktemp("runs") / "first")
    run.start("connect_four", games=60, seed=3, **TINY)
    assert run.wait(120) == 0
    return run


def test_a_daemon_plays_and_learns(run):
    assert not run.is_running
    assert run.config["width"] == 16
    assert run.network().spec["width"] == 16
    assert run.metrics()[-1]


def test_the_columns_describe_the_games(run):
    game = senet.Game("connect_four")
    data = run.records().read(features="dense", policy="dense", text=True)
    rows = len(data["turn"])
    assert rows > 500 and len(np.unique(data["game_number"])) > 50
    assert data["features"].shape == (rows, game.features)
    assert data["target"].shape == (rows, 3)
    for i in range(0, rows, 97):
        state = senet.State("connect_four", data["text"][i])
        np.testing.assert_array_equal(state.features(), data["features"][i])
        assert state.player == data["player"][i]
        legal = np.zeros(7, bool)
        legal[state.legal()] = True
        assert (data["policy"][i][~legal] == 0).all()
    has_policy = data["policy"].sum(axis=1) > 0
    np.testing.assert_allclose(data["policy"][has_policy].sum(axis=1), 1, atol=1e-5)
    # With lambda 1 the target is the result.
    np.testing.assert_allclose(data["target"] @ np.float32([1, 0, -1]), data["result"], atol=1e-4)
    # With lambda 0 it is the search's own value.
    own = run.records().read(lambda_=0.0, features="none", policy="none")
    np.testing.assert_allclose(own["target"] @ np.float32([1, 0, -1]), own["root_value"], atol=1e-3)
    assert set(np.unique(data["network"])) - {0}
    # For dueling heads: the move that was played.
    moves = run.records().read(mode="moves", features="none", text=True)
    assert (np.diff(moves["visit_begin"].astype(int)) == 1).all() and (moves["visit_count"] == 1).all()
    for i in range(0, len(moves["turn"]), 97):
        assert moves["visit_action"][i] in senet.State("connect_four", moves["text"][i]).legal()
    assert len(np.unique(moves["visit_action"])) == 7
    # Or the value of a later decision, as the player of this one sees it.
    for n in (1, 2):
        later = run.records().read(n_step=n, features="none", policy="none")["target"] @ np.float32([1, 0, -1])
        rows = np.arange(len(later) - n + 1)
        follows = (own["game_number"][rows] == own["game_number"][rows + n - 1]) & (
            own["turn"][rows] + n - 1 == own["turn"][rows + n - 1]
        )
        assert follows.any()
        sign = np.where(own["player"][rows] == own["player"][rows + n - 1], 1, -1)
        np.testing.assert_allclose(
            later[rows][follows], (sign * own["root_value"][rows + n - 1])[follows], atol=1e-3
        )


def test_sparse_and_dense_are_the_same(run):
    dense = run.records().read(features="dense", policy="dense")
    sparse = run.records().read()
    rows = len(sparse["turn"])
    features = np.zeros((rows, 347 + 1), np.float32)
    np.put_along_axis(
        features, sparse["feature_index"].astype(np.int64), sparse["feature_value"], axis=1
    )
    np.testing.assert_array_equal(features[:, :-1], dense["features"])
    policy = np.zeros((rows, 7), np.float32)
    row = np.repeat(np.arange(rows), np.diff(sparse["visit_begin"].astype(np.int64)))
    policy[row, sparse["visit_action"]] = sparse["visit_count"]
    sums = policy.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(policy / np.maximum(sums, 1), dense["policy"], atol=1e-6)


def test_reading_in_parts_is_reading_all(run):
    whole = run.records().read()
    reader = run.records()
    parts = []
    while len((part := reader.read(games=7))["turn"]):
        parts.append(part)
    assert len(parts) >= 8
    for name in ("game_number", "turn", "feature_index", "target"):
        np.testing.assert_array_equal(np.concatenate([p[name] for p in parts]), whole[name])
    later = run.records(position=reader.position)
    assert len(later.read()["turn"]) == 0


def test_a_log_of_several_files(tmp_path):
    run = senet.Run(tmp_path / "run").start("connect_four", games=80, log_segment_mib=0.01, **TINY)
    assert run.wait(120) == 0
    closed = sorted(run.folder.glob("games.0*.senet"))
    assert closed
    whole = run.records().read()
    files = [senet.records(file) for file in [*closed, run.folder / "games.senet"]]
    for name in ("game_number", "turn", "feature_index", "target"):
        np.testing.assert_array_equal(np.concatenate([f[name] for f in files]), whole[name])
    reader = run.records()
    first = reader.read(games=10)
    rest = senet.Records(run.folder, reader.position).read()
    for name in ("game_number", "target"):
        np.testing.assert_array_equal(np.concatenate([first[name], rest[name]]), whole[name])
    closed[0].unlink()  # moved away
    assert len(run.records().read()["turn"]) == len(whole["turn"]) - len(files[0]["turn"])


def test_afterstates(tmp_path):
    run = senet.Run(tmp_path / "run").start("backgammon", games=6, no_train=True, **TINY_BACKGAMMON)
    assert run.wait(120) == 0
    data = run.records().read(policy="none")
    assert len(data["turn"]) > 100 and data["target"].shape[1] == 6
    assert (data["feature_count"] > 10).all()
    with pytest.raises(ValueError, match="mode"):
        run.records().read(mode="playouts")


TINY_BACKGAMMON = {"workers": 1, "visits": 1, "width": 16, "quiet": True}


def test_follows_a_daemon_and_stops_it(tmp_path):
    run = senet.Run(tmp_path / "run").start("connect_four", **TINY)
    try:
        assert run.is_running
        with pytest.raises(RuntimeError, match="already running"):
            run.start("connect_four")
        reader, rows = None, 0
        until = time.time() + 60
        while rows < 200 and time.time() < until:
            time.sleep(0.1)
            if reader is None and (run.folder / "games.senet").exists():
                try:
                    reader = run.records()
                except ValueError:  # its header is not written yet
                    continue
            if reader is not None:
                rows += len(reader.read()["turn"])
        assert rows >= 200
    finally:
        assert run.stop(60) == 0
    rows += len(reader.read()["turn"])
    assert rows == len(run.records().read()["turn"])
    run.start(resume=True, games=5, quiet=True)
    assert run.wait(60) == 0


def test_the_programs_error_comes_through(tmp_path):
    with pytest.raises(RuntimeError, match="unknown game"):
        senet.Run(tmp_path / "run").start("chess", **TINY)
    with pytest.raises(FileNotFoundError):
        senet.Run(tmp_path / "run", program="/no/such/program").start("connect_four")
    with pytest.raises(RuntimeError, match="has not started"):
        senet.Run(tmp_path / "run").wait()


def test_a_damaged_log(run, tmp_path):
    log = (run.folder / "games.senet").read_bytes()
    damaged = bytearray(log)
    damaged[len(log) // 2] ^= 0xFF
    (tmp_path / "log").write_bytes(damaged)
    reader = senet.Records(tmp_path / "log")
    games = len(np.unique(reader.read()["game_number"]))
    assert reader.skipped_bytes > 0
    assert games == len(np.unique(run.records().read()["game_number"])) - 1
    (tmp_path / "text").write_text("not a log of games, but some text" * 10)
    with pytest.raises(ValueError, match="log"):
        senet.Records(tmp_path / "text")


def test_a_network_trained_in_pytorch_plays(run, tmp_path):
    """Trains on records, exports, and lets `senet match` play: better than untrained."""
    torch = pytest.importorskip("torch")
    from senet.torch import Module

    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = run.records().read(features="dense", policy="dense")
    features, target = torch.from_numpy(data["features"]), torch.from_numpy(data["target"])
    policy = torch.from_numpy(data["policy"])
    module = Module(senet.Network.untrained({"game": "connect_four", "width": 32, "blocks": 1}))
    optimiser = torch.optim.AdamW(module.parameters(), 3e-3)

    def loss():
        logits, outcomes = module(features)
        return torch.nn.functional.cross_entropy(outcomes, target) - (
            policy * logits.log_softmax(-1)
        ).sum(-1).mean()

    first = loss().item()
    for _ in range(60):
        optimiser.zero_grad()
        step = loss()
        step.backward()
        optimiser.step()
    assert step.item() < 0.8 * first
    module.to_network().save(tmp_path / "trained.safetensors")
    played = subprocess.run(
        [PROGRAM, "match", "--game", "connect_four", "--first", tmp_path / "trained.safetensors"]
        + ["--second", "random", "--visits", "20", "--pairs", "20", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    metrics = [json.loads(line) for line in played.stdout.splitlines()]
    (score,) = [line["value"] for line in metrics if line.get("metric") == "score"]
    assert score > 0.6
