"""What the image and the manifests set are settings that there are."""

import re
from pathlib import Path

import yaml

from service.settings import OPTIONS, PREFIX, with_settings

ROOT = Path(__file__).parents[2]


def variables() -> set[str]:
    """The variables of all settings."""

    @with_settings
    def command() -> None: ...

    options = command.__click_params__  # type: ignore[attr-defined]  # click puts it there
    return {option.envvar for option in options}


def test_there_is_a_variable_for_every_setting() -> None:
    assert len(variables()) == len(OPTIONS)


def test_the_image_sets_only_what_there_is() -> None:
    image = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    named = re.findall(rf"\b({PREFIX}[A-Z_]+)", image)
    assert named
    assert {*named} <= variables()


def test_the_manifests_set_only_what_there_is() -> None:
    settings = yaml.safe_load((ROOT / "k8s" / "configmap.yaml").read_text())["data"]
    assert {name for name in settings if name.startswith(PREFIX)} <= variables()
