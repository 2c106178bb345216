"""Every notebook of notebooks/ runs, gives the results that are committed, and ends with a decision that has their numbers.

    PYTHONPATH=build/python python3 tests/notebooks/notebooks_slow_test.py             # all of them
    PYTHONPATH=build/python python3 tests/notebooks/notebooks_slow_test.py spares      # those whose name has this word
    PYTHONPATH=build/python python3 tests/notebooks/notebooks_slow_test.py --renew     # and write their results and pictures back

Results are compared as text, byte by byte. Pictures only have to exist, because another Matplotlib draws other pixels.
"""

import json
import os
import pathlib
import re
import resource
import sys
import tempfile
import unittest

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
MODULE = os.pathsep.join(os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each)
CPU_SECONDS = 120  # each notebook, with the start of Python
BYTES = 200_000
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
VARYING = {  # what differs between two machines, or between two days
    "a path of this machine": re.compile(r"(?<![\w.])/(?:home|root|tmp|work|usr|var|opt)/"),
    "an address of an object": re.compile(r"\bat 0x[0-9a-f]+"),
    "terminal colours": re.compile("\x1b"),
}


def joined(text):
    return text if isinstance(text, str) else "".join(text)


def texts(output):
    """What a cell's output says, without its pictures."""
    if output["output_type"] == "stream":
        return {output["name"]: joined(output["text"])}
    return {kind: joined(of) for kind, of in output.get("data", {}).items() if kind.startswith("text/")}


def pictures(output):
    return [kind for kind in output.get("data", {}) if kind.startswith("image/")]


def numbers(text):
    """The numbers with a decimal point, as written."""
    return re.findall(r"(?<![\w.])\d[\d,]*\.\d+", text)


def stale(decision, results):
    """The numbers of a decision to which no result rounds."""
    values = [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", results)]

    def found(number):
        half_a_digit = 0.5000001 * 10 ** -len(number.partition(".")[2])
        return any(abs(value - float(number.replace(",", ""))) <= half_a_digit for value in values)

    return [each for each in numbers(decision) if not found(each)]


def merged(outputs):
    """Text that a kernel sent in several pieces is one text: where it is cut depends on the speed of the machine."""
    found = []
    for output in outputs:
        if found and output["output_type"] == found[-1]["output_type"] == "stream" and output["name"] == found[-1]["name"]:
            found[-1]["text"] = joined(found[-1]["text"]) + joined(output["text"])
        else:
            found.append(dict(output))
    return found


def normal(notebook):
    """Without what differs between two executions of the same notebook: ids, times, versions."""
    for number, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"cell-{number:02}"
        cell["metadata"] = {}
        if cell.cell_type == "code":
            cell["outputs"] = [nbformat.from_dict({**output, "metadata": {}} if "metadata" in output else output)
                               for output in merged(cell.outputs)]
    notebook["metadata"] = nbformat.from_dict(METADATA)
    notebook["nbformat"], notebook["nbformat_minor"] = 4, 5
    return notebook


def written(notebook):
    return nbformat.writes(notebook, indent=1) + "\n"


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def executed(path):
    """The notebook, executed by this Python with this PYTHONPATH, and the CPU seconds that it took. Raises where a cell does."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell["outputs"], cell["execution_count"] = [], None
    before = cpu_seconds()
    with tempfile.TemporaryDirectory() as home:
        kernel = pathlib.Path(home, "kernels", "python3")
        kernel.mkdir(parents=True)
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.enabled=False"]
        kernel.joinpath("kernel.json").write_text(
            json.dumps({"argv": command, "display_name": "Python 3", "language": "python"}), encoding="utf-8")
        # Nothing of the user's own settings counts.
        for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
            os.environ[name] = home
        os.environ.update(PYTHONPATH=MODULE, PYDEVD_DISABLE_FILE_VALIDATION="1")
        client = NotebookClient(notebook, timeout=1200, kernel_name="python3", record_timing=False,
                                resources={"metadata": {"path": str(path.parent)}})
        client.create_kernel_manager()
        client.km.kernel_spec_manager = KernelSpecManager(kernel_dirs=[str(kernel.parent)], ensure_native_kernel=False)
        client.execute()
    return normal(notebook), cpu_seconds() - before


class Notebooks(unittest.TestCase):
    maxDiff = None

    def test_there_are_notebooks(self):
        self.assertGreaterEqual(len(PATHS), 1)

    def test_the_table_has_each(self):
        table = (FOLDER / "README.md").read_text(encoding="utf-8")
        for path in sorted(FOLDER.glob("*.ipynb")):
            self.assertIn(f"({path.name})", table, "notebooks/README.md has a row for each notebook")

    def check_form(self, path):
        raw = path.read_text(encoding="utf-8")
        notebook = nbformat.reads(raw, as_version=4)
        self.assertEqual(raw, written(normal(notebook)), f"{path.name} is not as --renew writes it")
        self.assertLess(len(raw.encode()), BYTES, f"{path.name}: draw smaller pictures")
        first, last = notebook.cells[0], notebook.cells[-1]
        self.assertEqual(first.cell_type, "markdown")
        self.assertRegex(first.source, r"\A# [^\n]+\?\n", "a notebook begins with its question")
        self.assertEqual(last.cell_type, "markdown")
        self.assertRegex(last.source, r"\A## Decision\n", "a notebook ends with a decision")
        self.assertTrue(any(pictures(output) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs),
                        f"{path.name} has no picture")
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                for text in texts(output).values():
                    for what, pattern in VARYING.items():
                        self.assertNotRegex(text, pattern, f"{path.name}, {cell.id}: {what}")
        results = "\n".join(texts(output).get("text/plain", texts(output).get("stdout", ""))
                            for cell in notebook.cells for output in cell.get("outputs", []))
        self.assertEqual(stale(last.source, results), [], f"{path.name}: no result gives these numbers of the decision")
        return notebook

    def check_same(self, path, committed, notebook):
        self.assertEqual(len(committed.cells), len(notebook.cells))
        for before, after in zip(committed.cells, notebook.cells):
            if after.cell_type != "code":
                continue
            where = f"{path.name}, {after.id}"
            self.assertIsNotNone(after.execution_count, f"{where} did not run")
            self.assertEqual(before.execution_count, after.execution_count, where)
            self.assertEqual([texts(output) for output in before.outputs], [texts(output) for output in after.outputs],
                             f"{where}: another result than the committed one; see tests/notebooks/notebooks_slow_test.py --renew")
            self.assertEqual([pictures(output) for output in before.outputs], [pictures(output) for output in after.outputs],
                             f"{where}: other pictures than the committed ones")
            self.assertFalse(any(output.get("name") == "stderr" for output in after.outputs), f"{where} warns")

    def test_each_gives_the_results_that_are_committed(self):
        for path in PATHS:
            with self.subTest(path.name):
                committed = self.check_form(path)
                notebook, seconds = executed(path)
                print(f"{path.name}: {seconds:.1f} s of CPU", file=sys.stderr)
                self.check_same(path, committed, notebook)
                self.assertLess(seconds, CPU_SECONDS, f"{path.name} takes too long")


def renew():
    for path in PATHS:
        notebook, seconds = executed(path)
        path.write_text(written(notebook), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: written; {seconds:.1f} s of CPU")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    PATHS = sorted(path for path in FOLDER.glob("*.ipynb") if not words or any(word in path.name for word in words))
    if "--renew" in sys.argv:
        renew()
    else:
        unittest.main(argv=[word for word in sys.argv if word not in words])
