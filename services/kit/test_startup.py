import pytest

from services.kit import startup
from services.kit.startup import CannotStart


def raise_it(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    "error",
    [CannotStart("port 7 is taken"), ExceptionGroup("g", [ExceptionGroup("h", [CannotStart("port 7 is taken")])])],
)
def test_one_line_and_exit_code_2(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        startup.run(lambda: raise_it(error))
    assert left.value.code == 2
    assert capsys.readouterr().err == "port 7 is taken\n"


def test_a_bug_beside_it_is_not_hidden() -> None:
    group = ExceptionGroup("g", [CannotStart("port 7 is taken"), KeyError()])
    with pytest.raises(ExceptionGroup):
        startup.run(lambda: raise_it(group))
