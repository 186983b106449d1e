"""Makes what writers of clients compile: one zip of all public protos with their imports, and one descriptor set.

    python protos/bundle.py FOLDER

FOLDER gets `argosy-protos.zip`, in which each file stands at the path by which it is imported, and
`argosy-protos.binpb`, a `google.protobuf.FileDescriptorSet` with imports and comments. The same protos give the same
bytes: the zip is not compressed and has no times. Needs the packages of deploy/requirements.lock, no network. Exit code
of the compiler if it fails.
"""

import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

HERE = Path(__file__).parent
PUBLIC = ("v1", "games", "rules")
"""The folders of `argosy` that strangers compile against; `internal` is between our own services."""
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def main() -> int:
    """Makes the bundle in the folder named by the first argument; returns the exit code."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    described = folder / "argosy-protos.binpb"
    if code := _compile(described):
        return code
    files = FileDescriptorSet.FromString(described.read_bytes()).file
    _pack(folder / "argosy-protos.zip", sorted(file.name for file in files))
    return 0


def _sources() -> list[Path]:
    """Where imports are looked for, in this order."""
    import google.api  # noqa: PLC0415  # of googleapis-common-protos; the namespace `google` has several folders

    return [
        HERE,
        *(Path(folder).parents[1] for folder in google.api.__path__),
        Path(str(resources.files("grpc_tools"))) / "_proto",
    ]


def _compile(out: Path) -> int:
    names = sorted(p.relative_to(HERE).as_posix() for part in PUBLIC for p in (HERE / "argosy" / part).rglob("*.proto"))
    words = [sys.executable, "-m", "grpc_tools.protoc", *(f"-I{folder}" for folder in _sources())]
    words += ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}", *names]
    return subprocess.run(words, check=False).returncode


def _pack(path: Path, names: list[str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
        for name in names:
            file = next(folder / name for folder in _sources() if (folder / name).is_file())
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, file.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
