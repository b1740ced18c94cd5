"""Archives over S3's protocol on a real server, and JSON Patch compared with a public library."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from obstore import list_with_delimiter
from obstore.store import AzureStore, GCSStore, S3Store, from_url

import service.json_patch
import south_seas.json_patch
from service.archive_storage import BucketStorage, InvalidArchiveURL, open_object_storage
from service.games.archive import decode_document, validate_document
from service.games.archiver import ARCHIVE_DELAY_S, Archiver, StorageUnavailable
from service.store.game_store import RedisStore
from tests.games.game_fixture import Clock, process_due
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import store_game
from tests.polling import wait_until
from tests.redis_servers import reserve_ports

BUCKET = "archives"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of a server with a bucket."""
    directory = tmp_path_factory.mktemp("buckets")
    (directory / BUCKET).mkdir()
    (port,) = reserve_ports(1)
    command = (sys.executable, "-m", "localbucket", "--port", str(port), str(directory))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_until_listening(server, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _wait_until_listening(server: subprocess.Popen[bytes], port: int) -> None:
    async def listens() -> bool:
        assert server.poll() is None
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    asyncio.run(wait_until(listens))


@pytest.fixture
def environment(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set what an operator sets besides the URL."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@pytest.mark.usefixtures("environment")
async def test_a_finished_game_becomes_one_object(store: RedisStore) -> None:
    stored = await store_game(store, "finished")
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    for _ in range(2):
        archiver = Archiver(store, store.compacted_logs, open_object_storage(f"s3://{BUCKET}/games"), CATALOGUE, clock)
        await process_due(archiver.worker())
    assert (await store.compacted_logs.load_state(stored.id)).archived > 0
    bucket = from_url(f"s3://{BUCKET}")
    assert isinstance(bucket, S3Store)
    (name,) = [one["path"] for one in bucket.list("games").collect()]
    assert name.endswith(f"-{stored.id}.json.gz")
    assert [*list_with_delimiter(bucket, "games/")["common_prefixes"]] == [name[: len("games/2026")]]
    data = await open_object_storage(f"s3://{BUCKET}").get(name)
    assert validate_document(decode_document(data))[0].id == stored.id


@pytest.mark.usefixtures("environment")
async def test_a_missing_bucket_is_logged_and_games_wait(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    stored = await store_game(store, "finished")
    clock = Clock()
    clock.now += ARCHIVE_DELAY_S + 1
    objects = open_object_storage("s3://nothing/games")
    await process_due(Archiver(store, store.compacted_logs, objects, CATALOGUE, clock).worker())
    assert f"game {stored.id} is not archived yet: the archive's bucket: " in caplog.text
    assert "secret" not in caplog.text
    assert await store.due_archives.list_due(2**33, 10) == [stored.id]


@pytest.mark.usefixtures("environment")
async def test_an_unreachable_server_raises_storage_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StorageUnavailable, match=r"\Athe archive's bucket: [^\n]{20,200}\Z"):
        await open_object_storage(f"s3://{BUCKET}/games").put("x", b"")
    with pytest.raises(StorageUnavailable, match=r"\Athe archive's bucket: [^\n]{20,200}\Z"):
        await open_object_storage(f"s3://{BUCKET}/games").get("x")


@pytest.mark.parametrize("url", ("gs://bucket/x", "az://container/x"))
def test_other_storages_are_opened_by_their_urls(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    storage = open_object_storage(url)
    assert isinstance(storage, BucketStorage)
    assert isinstance(storage._store, GCSStore | AzureStore)
    retries = storage._store.retry_config
    assert retries is not None
    assert retries["max_retries"] == 2  # a game that cannot be archived now is due again later


async def test_without_the_library_only_directories_are_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("service.archive_storage.find_spec", lambda _: None)
    with pytest.raises(InvalidArchiveURL, match=r"pip install 'south-seas-service\[archive\]'"):
        open_object_storage("s3://bucket/x")
    await open_object_storage((tmp_path / "a b").as_uri()).put("x", b"1")
    assert (tmp_path / "a b" / "x").read_bytes() == b"1"


IMPLEMENTATIONS = (service.json_patch, south_seas.json_patch)

NAMES = st.sampled_from(["a", "b", "~", "/", "0,1", "-1,0", ""])
DOCUMENTS = st.dictionaries(NAMES, st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers())))


def pointer(*names: str | int) -> str:
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a document, and operations that apply to it."""
    document = draw(DOCUMENTS)
    document["players"] = {}
    players: Any = [{"name": None}, {"name": "Bo"}]
    operations: list[dict[str, Any]] = [{"op": "add", "path": "/players", "value": players}]
    for name, members in document.items():
        if name != "players" and draw(st.booleans()):
            operations.append({"op": "add", "path": pointer(name, draw(NAMES)), "value": draw(st.integers())})
        removed = [member for member in members if draw(st.booleans())]
        operations += [{"op": "remove", "path": pointer(name, member)} for member in removed]
    operations.append({"op": "add", "path": pointer("players", 1, "name"), "value": draw(st.text())})
    return document, operations


@given(case=cases())
def test_the_result_equals_that_of_a_public_library(case: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    document, operations = case
    expected = jsonpatch.apply_patch(deepcopy(document), operations)
    before = deepcopy(document)
    for json_patch in IMPLEMENTATIONS:
        assert (json_patch.apply_patch(document, operations), document) == (expected, before)


@pytest.mark.parametrize("json_patch", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "operation",
    (
        {"op": "remove", "path": "/no"},
        {"op": "add", "path": "/no/where", "value": 1},
        {"op": "add", "path": "/list/7/name", "value": 1},
        {"op": "add", "path": "/list/x/name", "value": 1},
        {"op": "add", "path": "/list/0", "value": 1},
        {"op": "add", "path": "/number/x", "value": 1},
        {"op": "replace", "path": "/number", "value": 1},
        {"op": "add", "path": "/new"},
        {"op": "add", "path": {"n": 1}, "value": 1},
        {"op": "add", "path": "", "value": 1},
        {"path": "/number"},
        5,
    ),
)
def test_an_inapplicable_operation_is_an_error(json_patch: ModuleType, operation: Any) -> None:
    with pytest.raises(json_patch.PatchError) as raised:
        json_patch.apply_patch({"list": [{"name": "Ana"}], "number": 3}, [operation])
    assert raised.value.operation == operation
