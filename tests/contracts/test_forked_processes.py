"""Processes that are started by one that has stepped a threaded batch step batches of their own."""

import multiprocessing
import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing, sys, warnings
import tribo

def batch():
    world = tribo.World()
    world.add_ground()
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.3), name="box")
    return tribo.Batch(world, 6, threads=2)

def stepped(_=None):
    made = batch()
    made.step(300)
    return made.hash()

class Data:  # as PyTorch's DataLoader takes it
    def __len__(self):
        return 4

    def __getitem__(self, k):
        return stepped()[k]

if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)  # of Python: fork with threads
    here, method = stepped(), sys.argv[1]
    if method.startswith("torch "):
        from torch.utils.data import DataLoader
        loader = DataLoader(Data(), num_workers=2, multiprocessing_context=method.split()[1])
        found = [[hash for few in loader for hash in few]]
        here = here[:4]
    else:
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = pool.map_async(stepped, range(4)).get(120)
    assert all(one == here for one in found), (here, found)
    assert stepped()[: len(here)] == here  # the threads of this process are there still
    print("all the same")
"""


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn", "torch fork", "torch spawn"])
def test_children_step_threaded_batches(tmp_path, method):
    if method.startswith("torch"):
        pytest.importorskip("torch", reason='needs the extra "learn"')
    if method.rpartition(" ")[2] not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ended = subprocess.run(
        [sys.executable, script, method], capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.stdout == "all the same\n", ended.stderr


def test_a_child_does_not_write_into_the_recording_of_its_parent(tmp_path):
    pytest.importorskip("zarr")
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    script = tmp_path / "script.py"
    script.write_text("""
import os, sys, tribo
world = tribo.World()
world.add_sphere(0.1, mass=1.0)
with world.record(sys.argv[1], chunk=4) as recorder:
    world.step(10)
    child = os.fork()
    if child == 0:
        world.step(100)
        sys.exit(0 if not recorder.is_open else 1)
    assert os.waitpid(child, 0)[1] == 0
    world.step(10)
assert tribo.Recording(sys.argv[1]).frames == 21
""")
    command = [sys.executable, script, tmp_path / "run.zarr"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
