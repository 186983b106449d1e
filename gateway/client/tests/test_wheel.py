"""What a stranger installs."""

import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent.parent


def test_the_wheel_has_the_client_and_the_public_protos_alone(tmp_path: Path) -> None:
    words = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(HERE)]
    built = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=100)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert {"argosy/client/py.typed", "argosy/v1/match_service_pb2.pyi"} <= set(names)
    assert any(name.startswith("argosy/games/") for name in names)
    assert "argosy/__init__.py" not in names
    assert not [n for n in names if n.startswith("argosy/") and n.split("/")[1] not in ("client", "v1", "games")]

    lines = "import argosy.client, sys; print(argosy.client.__file__); print('services' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", lines],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed")},
    )
    place, platform = ran.stdout.splitlines()
    assert place.startswith(str(tmp_path))
    assert platform == "False"
