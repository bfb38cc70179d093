from tests.house import count_modules, hops_of, room_of


def package(root, **files):
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_modules_lines_importers_and_short_ones_are_counted(tmp_path):
    root = package(
        tmp_path / "equipoise",
        data__pairs="x = 1\n" * 59,
        data__scores="x = 1\n" * 60,
        ratings__elo="from equipoise.data.pairs import x\nfrom equipoise.data import scores\n",
        ratings__melo='later = "equipoise.data.pairs:x"\n',
    )
    (root / "data" / "__init__.py").write_text('"""Data."""\n')
    counts = count_modules(root)
    assert (counts.modules, counts.lines) == (4, 59 + 60 + 2 + 1 + 1)
    assert counts.one_importer == ["equipoise.data.scores"]
    assert counts.short == ["equipoise.data.pairs", "equipoise.ratings.elo", "equipoise.ratings.melo"]


def test_calls_between_rooms_are_counted_and_what_lies_between_is_passed_over(tmp_path):
    def function(name, text):
        names = {}
        exec(compile(text, str(tmp_path / name), "exec"), names)
        return names["run"]

    inner = function("data/pairs.py", "def run():\n    return 1")
    commons = function("results.py", "def run(inner):\n    return inner()")
    near = function("ratings/elo.py", "def run(commons, inner):\n    return [commons(inner) for _ in range(3)]")
    rooms = hops_of(lambda: near(commons, inner), tmp_path)
    assert sum(rooms.calls.values()) == 3
    assert rooms.routes == {"ratings -> data": 3}
    assert hops_of(lambda: near(commons, inner), tmp_path, parts=True).routes == {
        "ratings -> results": 3,
        "results -> data": 3,
    }


def test_a_function_belongs_to_the_room_its_name_begins_with():
    assert room_of("ratings.elo.elo") == "ratings"
