"""Run the server: `python -m examples.mcp [URL]` on standard input, with `--http PORT` at http://127.0.0.1:PORT/mcp."""

import argparse
import asyncio
import sys

try:
    from examples.command_line import DEFAULT_URL, describe_error, service_url
    from examples.mcp.server import build_server
    from south_seas import Client, ClientError
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. See examples/README.md, and: pip install 'mcp>=2.3'")


async def serve(url: str, port: int | None) -> None:
    """Serve an assistant until it disconnects, or until the program is interrupted."""
    async with Client(url, language="en") as client:
        await client.bots()  # whether the service is there
        server = build_server(client)
        if port is None:
            await server.run_stdio_async()
        else:
            await server.run_streamable_http_async(port=port)


def main() -> None:
    """Parse the options, and serve; say in one line why it had to end."""
    parser = argparse.ArgumentParser(prog="python -m examples.mcp", description=__doc__)
    parser.add_argument(
        "url", nargs="?", type=service_url, default=DEFAULT_URL, help="the URL of the service (default %(default)s)"
    )
    parser.add_argument("--http", type=int, metavar="PORT", help="serve over HTTP at this port of 127.0.0.1")
    options = parser.parse_args()
    try:
        asyncio.run(serve(options.url, options.http))
    except* (ClientError, OSError) as errors:
        sys.exit(describe_error(errors, options.url))
    except* KeyboardInterrupt:
        sys.exit("Interrupted.")


if __name__ == "__main__":
    main()
