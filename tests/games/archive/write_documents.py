"""Write the documents of a new schema number: `python -m tests.games.archive.write_documents`.

Run it once, after raising `LATEST_SCHEMA`. It writes an archive of a finished game with a rematch, and an export of an
active game.
"""

import asyncio
import tempfile
from pathlib import Path

from service.engine import decode_snapshot
from service.games.archive import LATEST_SCHEMA, build_archive, build_export, encode_document
from service.games.commands.create import RematchRequest, rematch
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import store_game
from tests.store.commits import load_record

DOCUMENTS = Path(__file__).parent / "documents"


async def build_documents(store: RedisStore) -> dict[str, bytes]:
    """Return both documents by file name."""
    over = await store_game(store, "finished")
    await rematch(over.context, RematchRequest(id=over.id, token=over.created.owner_token))
    loaded = await load_record(store, over.id)
    archive = await build_archive(store, CATALOGUE, loaded, decode_snapshot(loaded.snapshot))
    active = await store_game(store, "active", visibility="private", turn_timeout_s=3600, on_timeout="bot", webhooks=1)
    export = await build_export(store, CATALOGUE, active.id)
    assert export is not None
    return {
        f"{LATEST_SCHEMA}.archive.json.gz": encode_document(archive),
        f"{LATEST_SCHEMA}.export.json.gz": encode_document(export),
    }


async def main() -> None:
    """Write the files. Raises FileExistsError if the schema number has them."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        async with embedded_server(Path(directory)) as server, connect(server.url) as store:
            result = await build_documents(store)
    for name, data in result.items():
        with (DOCUMENTS / name).open("xb") as file:
            file.write(data)


if __name__ == "__main__":
    asyncio.run(main())
