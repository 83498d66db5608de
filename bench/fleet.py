"""The worker processes as their parent sees them: started, asked, stopped while others are measured, ended.
Decides neither what is measured nor what it means."""

import json
import os
import signal
import subprocess
import sys

import paths

# Read by OpenMP, MKL and OpenBLAS when they are loaded, so it must stand before an engine is imported.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class WorkerDied(Exception):
    """A system whose process ended or answered with an error; the text says what is known."""


class Worker:
    """One system's process. It is stopped (SIGSTOP) except while it is asked: no thread of it spins meanwhile."""

    def __init__(self, name, threads, cpus):
        self.name = name
        paths.LOGS.mkdir(parents=True, exist_ok=True)
        self.log = paths.LOGS / f"{name}.txt"
        environment = os.environ | {variable: str(threads) for variable in THREAD_VARIABLES}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, paths.HERE / "worker.py", name, str(threads), ",".join(map(str, cpus))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
                start_new_session=True)  # Ctrl-C is for the parent, which ends the workers itself
        self.versions = self.read()["versions"]
        self.stop()

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self):
        self.signal(signal.SIGSTOP)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            last = self.log.read_text().strip().splitlines()[-1:]
            raise WorkerDied(f"its process ended (see {self.log}): {' '.join(last)}")
        answer = json.loads(line)
        if "died" in answer:
            raise WorkerDied(answer["died"])
        return answer

    def ask(self, do, **request):
        """Sends a request and waits for its answer. Raises WorkerDied."""
        self.signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
            return self.read()
        except BrokenPipeError:
            raise WorkerDied(f"its process ended (see {self.log})") from None
        finally:
            self.stop()

    def end(self):
        self.signal(signal.SIGKILL)  # it may be stopped, or deep in an engine; it has nothing to save
        self.process.wait()


class Fleet:
    """The workers of one thread count: the machine's, and one a system. Those that cannot start are named in failed."""

    def __init__(self, names, threads, cpus, say):
        self.workers, self.failed = {}, {}
        try:
            for name in ["machine", *names]:
                say(f"starting {name}")
                self.start(name, threads, cpus)
        except BaseException:
            self.end()
            raise

    def start(self, name, threads, cpus):
        try:
            self.workers[name] = Worker(name, threads, cpus)
        except WorkerDied as reason:
            self.failed[name] = str(reason)

    @property
    def machine(self):
        return self.workers["machine"]

    @property
    def systems(self):
        return {name: worker for name, worker in self.workers.items() if name != "machine"}

    @property
    def versions(self):
        found = {}
        for worker in self.workers.values():
            found |= worker.versions
        return found

    def end(self):
        for worker in self.workers.values():
            worker.end()
