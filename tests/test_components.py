"""Component files: every mistake is answered with its key; other values make another game; provenance is complete."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lusogames_env.engine import Box, ComponentsError, Game, OptionError
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.components import Components
from lusogames_env.engine.state import GameState

SAMPLE = 150  # keys per game that are damaged one by one
Place = tuple[str | int, ...]


def leaves(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every value that is no table or list, with its place."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*at, key))
    else:
        yield at, value


def replaced(data: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """Return a copy of `data` with `value` at `place`; the key goes if `value` is ``...``."""
    found = data = copy.deepcopy(data)
    for key in place[:-1]:
        found = found[key]  # type: ignore[index]
    if value is ...:
        del found[place[-1]]  # type: ignore[arg-type]
    else:
        found[place[-1]] = value  # type: ignore[index]
    return data


def sampled(items: list[Any], n: int = SAMPLE) -> list[Any]:
    return items[:: max(1, len(items) // n)]


def tables(value: Any, at: Place = ()) -> Iterator[Place]:
    """Yield the place of every table and list below the top."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, (dict, list)):
            yield (*at, key)
            yield from tables(inner, (*at, key))


def boxes(game: Game) -> list[dict[str, Any]]:
    """Return the options of every variant: some components are read under some options only."""
    return list(game.variants.values())


def error_of(game: Game, data: dict[str, Any]) -> ComponentsError | None:
    """Build the game's boxes from `data`; return what is refused, or None. Any other exception is a fault."""
    for options in boxes(game):
        try:
            Box(game, options, Components("own.toml", data))
        except ComponentsError as error:
            return error
    return None


def names(place: Place) -> list[str]:
    return [str(key) for key in place if isinstance(key, str)]


def test_a_missing_key_is_named(game: Game) -> None:
    data, refused = game.components.value, 0
    places = [place for place, _ in leaves(data)] + list(tables(data))
    for place in sampled(places):
        error = error_of(game, replaced(data, place, ...))
        if error is not None:
            refused += 1
            text = str(error)
            assert text.startswith("own.toml: ") and any(name in text for name in names(place)), f"{place}: {text}"
    assert refused > 0


@pytest.mark.parametrize("bad", [{"joker": 1}, [], "no such thing", -9999, 10**12, 0.5, True, ""])
def test_a_wrong_value_is_named(game: Game, bad: Any) -> None:
    data, refused = game.components.value, 0
    for place, value in sampled(list(leaves(data)), SAMPLE // 2):
        if place[0] == "meta" or str(place[-1]).endswith("provenance"):
            continue
        error = error_of(game, replaced(data, place, bad))
        if error is not None:
            refused += 1
            text = str(error)
            assert text.startswith("own.toml: ") and any(name in text for name in names(place)), f"{place}: {text}"
            assert "expected" in text or "missing" in text or str(bad) in text, f"{place}, {value!r}: {text}"
    assert refused > 0


def test_a_wrong_file_is_refused(game: Game, tmp_path: Path) -> None:
    def refusal(name: str, content: bytes | None) -> str:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ComponentsError) as error:
            game.new_box(components=str(path))
        assert name in str(error.value)
        return str(error.value)

    assert "cannot read" in refusal("missing.toml", None)
    assert "not a TOML file" in refusal("text.toml", b"this is = = no TOML")
    assert "not a TOML file" in refusal("bytes.toml", b"\xff\xfe\x00")
    assert "meta" in refusal("empty.toml", b"")
    assert "meta" in refusal("flat.toml", b"meta = 3")
    assert f"'{game.name}'" in refusal("other.toml", b'[meta]\ngame = "chess"\n')
    with pytest.raises(ComponentsError, match="cannot read"):
        game.new_box(components=str(tmp_path))
    with pytest.raises(OptionError, match="components"):
        game.new_box(components=3)


def test_the_own_file_given_as_a_path_makes_the_same_game(game: Game) -> None:
    own = GameState.new(game, 1, components=str(game.folder / "components.toml"))
    assert own == GameState.new(game, 1)
    assert own.hash() == GameState.new(game, 1).hash()


def provenance_of(data: dict[str, Any], place: Place) -> str | None:
    """Return the provenance of the innermost table around `place` that states one."""
    stated, value = None, data
    for key in place[:-1]:
        value = value[key]  # type: ignore[index]
        if isinstance(value, dict) and "provenance" in value:
            own = value["provenance"]
            stated = str(own.get(place[-1], own) if isinstance(own, dict) else own)
    return stated


def test_every_number_has_a_provenance(game: Game) -> None:
    data = game.components.value
    numbers = [place for place, value in leaves(data) if isinstance(value, (int, float)) and place[0] != "meta"]
    without = [".".join(map(str, place)) for place in numbers if not provenance_of(data, place)]
    assert numbers and not without, f"no provenance: {without[:20]}"
    assert game.components.provenance()


def changed(value: Any) -> list[Any]:
    """Return other values of the same kind that a file could hold."""
    if isinstance(value, bool):
        return [not value]
    return [value + 1, value - 1] if isinstance(value, int) else []


def test_other_values_make_another_game(game: Game, seed: int) -> None:
    """A reconstructed number that the game accepts in another size changes the box, and the game stays sound."""
    data, effective = game.components.value, 0
    reconstructed = [
        (place, value)
        for place, value in leaves(data)
        if changed(value) and (provenance_of(data, place) or "").startswith("A") and place[0] != "meta"
    ]
    for place, value in sampled(reconstructed, 40):
        for other in changed(value):
            components = Components("own.toml", replaced(data, place, other))
            try:
                box = Box(game, {}, components)
            except ComponentsError:
                continue
            if box.array.tobytes() == game.new_box().array.tobytes():
                continue
            effective += 1
            if effective <= 6:
                batch = Batch(box, 4, seed=seed)
                for _ in range(30):
                    assert not batch.check().any(), f"{place} = {other}"
                    batch.step(batch.random_actions())
                assert batch.state(0).hash() != Batch(game, 1, seed=seed).state(0).hash()
    assert not reconstructed or effective > 0, "no reconstructed value can be replaced"


def test_dates_in_a_file_do_no_harm(toy: Any, tmp_path: Path) -> None:
    path = tmp_path / "dated.toml"
    path.write_text('[meta]\ngame = "toy"\nprinted = 2009-05-17\n[cards]\nprovenance = "R"\nvalues = [1,2,3,4,5,7]\n')
    state = GameState.new(toy.game, 1, components=str(path))
    assert GameState.from_json(state.to_json()) == state
