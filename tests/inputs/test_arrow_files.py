"""Damaged Arrow files: refused in one sentence, by a process that is still alive, with nothing of its memory shown."""

import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from cutline import InputError, rank

# Runs apart, because a reader that follows a bad offset takes its process with it.
FLIPS = """
import io, random, sys
from pathlib import Path
import pyarrow as pa
from pyarrow import ipc
import cutline as cl

kind, folder, flips = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
rows = range(30)
words = pa.array(["no", "yes"] * 15)
table = pa.table({
    "y": words, "p": [i / 30 for i in rows], "w": [1 + i % 3 for i in rows], "many": words.dictionary_encode(),
    "large": words.cast(pa.large_string()), "view": words.cast(pa.string_view()), "bytes": words.cast(pa.binary()),
    "list": [[i] for i in rows], "b": [None if i == 7 else i % 2 == 1 for i in rows],
})
if kind == "compressed":  # pyarrow before 25 cannot write views compressed, and ends the process
    table = table.set_column(5, "view", words)
out = io.BytesIO()
options = ipc.IpcWriteOptions(compression="lz4" if kind == "compressed" else None)
with (ipc.new_stream if kind == "stream" else ipc.new_file)(out, table.schema, options=options) as writer:
    writer.write_table(table, max_chunksize=17)
good, dice = out.getvalue(), random.Random(kind)
path = folder / "x.arrow"
read = refused = 0
for _ in range(flips):
    bad = bytearray(good)
    for _ in range(dice.choice((1, 1, 2, 5))):
        bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(8)
    path.write_bytes(bad)
    label = dice.choice(("y", "many", "large", "view", "b", "bytes", "list"))
    try:
        cl.rank(label, "p", "w", data=path, positive=None if label == "b" else "yes", missing="drop")
        read += 1
    except cl.CutlineError as refusal:
        refused += 1
        assert str(refusal).isprintable() and len(str(refusal)) < 400, str(refusal)[:400]
print(read, refused)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "stream", "compressed"])
def test_no_flipped_bit_of_an_arrow_file_ends_the_process(tmp_path, kind):
    command = [sys.executable, "-c", FLIPS, kind, str(tmp_path), "250"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603

    assert (done.returncode, done.stderr) == (0, "")
    read, refused = map(int, done.stdout.split())
    assert read + refused == 250
    assert min(read, refused) > 10


def test_an_offset_outside_its_buffer_is_refused(tmp_path):
    path = tmp_path / "x.feather"
    texts = pa.array(["no", "yes", "no", "yes"])
    offsets = bytearray(texts.buffers()[1].to_pybytes())
    offsets[8:12] = (1 << 28).to_bytes(4, "little")
    bad = pa.Array.from_buffers(pa.string(), 4, [None, pa.py_buffer(bytes(offsets)), texts.buffers()[2]])
    feather.write_feather(pa.table({"y": bad, "p": [0.1, 0.2, 0.3, 0.4]}), path, compression="uncompressed")

    with pytest.raises(InputError, match=r"x\.feather cannot be read as Arrow: it is damaged"):
        rank("y", "p", data=path, positive="yes")


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_whole_file_is_read(tmp_path, kind):
    path = tmp_path / "x.arrow"
    table = pa.table({"y": [1, 0, 1], "p": [0.9, 0.5, 0.1]})
    with (ipc.new_file if kind == "file" else ipc.new_stream)(path, table.schema) as writer:
        writer.write_table(table)

    assert rank("y", "p", data=path) == rank([1, 0, 1], [0.9, 0.5, 0.1])
