"""The programs of docs/python.md: the page has them verbatim, and they run."""

import importlib
import pathlib
import re
import sys

import pytest

import senet
from senet.run import find_program

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs/python.md"


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python/examples"))


def example(name):
    return importlib.import_module(name)


def blocks():
    if not PAGE.exists():
        pytest.skip("no documentation")
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["train.py", "own_evaluator.py"])
def test_the_page_has_the_program(name):
    assert (ROOT / "python/examples" / name).read_text() in blocks()


def test_an_own_evaluator_learns(capsys):
    assert example("own_evaluator").main().score > 0.65
    assert "positions; against random games: <score 0." in capsys.readouterr().out


@pytest.fixture(scope="module")
def program():
    try:
        return find_program()
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_training_learns(program, tmp_path, capsys):
    pytest.importorskip("torch")
    example("train").main(tmp_path, rounds=2, games=300, steps=150)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and float(re.search(r"(\S+) against untrained", lines[-1])[1]) > 0.6
    assert senet.Network(tmp_path / "trained.safetensors").game == "connect_four"


def test_a_plot(program, tmp_path):
    for module in ("matplotlib", "pandas"):
        pytest.importorskip(module)
    run = senet.Run(tmp_path / "run").start("connect_four", games=100, workers=1, visits=16, width=16, blocks=1,
                                            begin_after=100, train_batch=32, quiet=True)
    assert run.wait(120) == 0
    example("plot_run").main([str(run.folder), str(tmp_path / "plot.png"), "--games", "4"])
    assert (tmp_path / "plot.png").stat().st_size > 10_000


@pytest.mark.skipif(sys.platform != "linux", reason="reads the page's short programs")
def test_the_pages_short_programs_run(tmp_path, monkeypatch):
    """The blocks before the first complete program, one after the other, share their names."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks():
        if block.startswith('"""') or "runs/" in block or "torch" in block or "onnx" in block or "jax" in block:
            continue
        exec(compile(block, str(PAGE), "exec"), names)
