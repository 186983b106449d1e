"""What stands on a terminal."""

import io

from gateway.cli.screen import Screen


def test_what_others_wrote_does_not_steer_the_terminal() -> None:
    file = io.StringIO()
    screen = Screen(file)
    for write in (screen.say, screen.line, screen.draw, screen.tell):
        write("a\x1b[2J\x07\x9b2J\u202eb")
    screen.draw("1\n2")
    assert file.getvalue() == "a\ufffd[2J\ufffd\ufffd2J\ufffdb\n" * 4 + "1\n2\n"
