"""Starts, follows and stops a self-play daemon: `senet selfplay` and its run folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from ._core import Network, Records

__all__ = ["Run", "find_program"]


def find_program() -> str:
    """The senet program: $SENET_PROGRAM, the one installed with this package, or on the PATH.

    Raises:
        FileNotFoundError: there is none.
    """
    given = os.environ.get("SENET_PROGRAM")
    installed = shutil.which("senet", path=sysconfig.get_path("scripts"))
    program = given or installed or shutil.which("senet")
    if program is None:
        raise FileNotFoundError(
            "the senet program was not found: add it to the PATH or set SENET_PROGRAM"
        )
    return program


class Run:
    """A run folder of `senet selfplay`, and the daemon that fills it.

        run = senet.Run("runs/first")
        run.start("connect_four", minutes=10, visits=100)
        run.wait()
        run.network()                  # the newest weights
        run.records().read()           # the games, also while they are being played

    The daemon is a separate process, which outlives this object: another process may follow it
    too. Only the object that started it can stop it.
    """

    def __init__(self, folder: str | os.PathLike, program: str | os.PathLike | None = None):
        """`program`: the senet program; by default that of find_program()."""
        self.folder = Path(folder)
        self._program = None if program is None else os.fspath(program)
        self._process: subprocess.Popen | None = None

    def start(self, game: str | None = None, *, resume: bool = False, **settings: Any) -> Run:
        """Starts the daemon and returns at once.

        Args:
            game: of a new run; None to resume one.
            resume: continue the run in the folder from its last checkpoint.
            settings: as in `senet selfplay --help`: minutes=10, visits=100, workers=2, quiet=True ...

        Its messages go to the file `daemon.log` in the folder.

        Raises:
            RuntimeError: this object's daemon is running, or the program ended at once; the message
                is the program's.
            FileNotFoundError: there is no senet program.
        """
        if self.is_running:
            raise RuntimeError(f"a daemon is already running in {self.folder}")
        command = [self._program or find_program(), "selfplay", "--run", os.fspath(self.folder)]
        if game is not None:
            command += ["--game", game]
        if resume:
            command.append("--resume")
        for name, value in settings.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            command.append(f"--{name.replace('_', '-')}={text}")
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self._log, "ab") as log:
            begin = log.tell()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in Python is not for the daemon
            )
        try:
            code = self._process.wait(0.2)
        except subprocess.TimeoutExpired:
            return self
        if code != 0:
            with open(self._log, "rb") as log:
                log.seek(begin)
                raise RuntimeError(log.read().decode(errors="replace").strip())
        return self

    @property
    def _log(self) -> Path:
        return self.folder / "daemon.log"

    @property
    def is_running(self) -> bool:
        """Whether the daemon that this object started is running."""
        return self._process is not None and self._process.poll() is None

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the daemon's end and returns its exit code, 0 after a normal end.

        Raises:
            RuntimeError: this object started none.
            subprocess.TimeoutExpired: after `timeout` seconds.
        """
        if self._process is None:
            raise RuntimeError("this object has not started a daemon")
        return self._process.wait(timeout)

    def stop(self, timeout: float | None = None) -> int:
        """Asks the daemon to save everything and end; returns its exit code, as wait() does."""
        if self.is_running:
            self._process.send_signal(signal.SIGTERM)
        return self.wait(timeout)

    @property
    def config(self) -> dict[str, Any]:
        """The settings of the run."""
        return json.loads((self.folder / "config.json").read_text())

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of figures written so far, every ten seconds one. An incomplete last line, which
        is being written, is left out."""
        file = self.folder / "metrics.jsonl"
        if not file.exists():
            return []
        lines = file.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def frame(self):
        """metrics() as a pandas.DataFrame."""
        import pandas

        return pandas.json_normalize(self.metrics())

    def records(self, position: int = 0) -> Records:
        """Reads the games, also while the daemon plays."""
        return Records(self.folder, position)

    def network(self, name: str = "latest") -> Network:
        """The weights of this name: "latest", or a file in the folder `weights`."""
        return Network(self.folder / "weights" / f"{name.removesuffix('.safetensors')}.safetensors")

    def __repr__(self) -> str:
        return f"senet.Run({os.fspath(self.folder)!r})"
