"""Messages of readers name options as data, so that each surface spells them its own way."""

import io

import pytest

import equipoise as eq
from equipoise.core.wording import Option


class Shell:
    """A surface with a few options, spelled as a shell does."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def option(self, option: Option) -> str | None:
        if option.name not in self.names:
            return None
        return f"--{option.name}" + ("" if option.value is None else f" {option.value}")


def refused(read, text, **options):
    with pytest.raises(eq.EquipoiseError) as caught:
        read(io.BytesIO(text.encode()), **options)
    return caught.value


@pytest.mark.parametrize(
    ("text", "python", "shell"),
    [
        ("a,b,outcome\nx,y,huh\n", 'or skip such rows with on_error="skip"', "or skip such rows with --on_error skip"),
        ("p,q,outcome\nx,y,1\n", "name them with a and b", "name them with --a and --b"),
        ("a,b,came_out\nx,y,1\n", "name it with outcome", "name it with --outcome"),
    ],
)
def test_advice_is_spelled_by_the_surface_and_left_out_where_it_lacks_the_option(text, python, shell):
    error = refused(eq.read_pairs, text)
    assert str(error).endswith(python)
    assert error.message(Shell("on_error", "a", "b", "outcome")).endswith(shell)
    assert python not in error.message(Shell())
    assert "\n" not in str(error)


def test_a_column_that_is_taken_for_a_count_is_named_with_the_option_to_set():
    (note,) = eq.read_pairs(io.BytesIO(b"a,b,outcome,count\nx,y,1,5\n")).diagnostics
    assert note.message.endswith('Count every row once with weight="none".')
    assert note.spelled(Shell("weight")).endswith("Count every row once with --weight none.")
    assert note.spelled(Shell()).endswith("or their mean.")


@pytest.mark.parametrize(
    ("read", "options", "said"),
    [
        (eq.ReadOptions, {"on_error": "ignore"}, 'on_error is raise, skip or skip-all, not "ignore"'),
        (eq.read_scores, {"layout": "tall"}, "layout is auto, wide or long"),
        (eq.read_scores, {"transpose": "yes"}, "transpose is True or False"),
        (eq.ReadOptions, {"on_error": None}, "on_error is raise, skip or skip-all"),
    ],
)
def test_senseless_options_of_readers_are_refused(read, options, said):
    given = [] if read is eq.ReadOptions else [io.BytesIO(b"a,b,outcome\nx,y,1\n")]
    with pytest.raises(eq.ParameterError) as error:
        read(*given, **options)
    assert said in str(error.value)
