"""The clients that the gate generates from the OpenAPI document, and the program that plays with each.

docs/clients.md shows this list as a table.
"""

from typing import Literal, NamedTuple

from tests.tools import GENERATORS, GO, NODE, NPM_GENERATORS, Tool

Language = Literal["go", "python", "typescript"]


class GeneratedClient(NamedTuple):
    """A client that a generator makes."""

    generator: str
    """The package in a lock file of the generator."""
    target: str
    """What the generator is to make, as it calls it; empty if it makes one thing alone."""
    options: str = ""
    """What its users have to set besides, separated by commas."""
    program: str = ""
    """The file in `programs` that plays a game with it."""
    language: Language | None = None
    """The language of the program."""
    unplayed: str = ""
    """Why no program plays with it: what neither PyPI nor npm has."""
    flags: tuple[str, ...] = ()
    """Further arguments of the generator."""

    @property
    def name(self) -> str:
        """Return a name for people."""
        return f"{self.generator} {self.target}".strip()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return what must be installed to compile the client and to play with it."""
        match self.language:
            case "go":
                return (GO,)
            case "typescript":
                return (NODE, NPM_GENERATORS)
            case _:
                return (GENERATORS,)


CLIENTS = (
    GeneratedClient(
        "openapi-generator-cli",
        "python",
        "packageName=south_seas_client",
        "python_client.py",
        "python",
        flags=("--global-property", "models,apis,supportingFiles"),  # what it makes of `callbacks` is not valid Python
    ),
    GeneratedClient("openapi-generator-cli", "typescript-fetch", "", "typescript_fetch.ts", "typescript"),
    GeneratedClient(
        "openapi-generator-cli",
        "go",
        "packageName=southseas,enumClassPrefix=true,useOneOfDiscriminatorLookup=true",
        "main.go",
        "go",
    ),
    GeneratedClient(
        "openapi-generator-cli",
        "kotlin",
        "serializationLibrary=kotlinx_serialization,generateOneOfAnyOfWrappers=true",
        unplayed="needs Kotlin and Maven Central",
        flags=(  # kotlinx.serialization cannot decode the type Any, which else is that of a patch operation's value
            *("--type-mappings", "AnyType=JsonElement"),
            *("--import-mappings", "JsonElement=kotlinx.serialization.json.JsonElement"),
        ),
    ),
    GeneratedClient("openapi-generator-cli", "swift6", unplayed="needs Swift"),
    GeneratedClient("openapi-generator-cli", "dart-dio", unplayed="needs Dart and pub.dev"),
    GeneratedClient(
        "openapi-generator-cli",
        "java",
        "library=native,useOneOfDiscriminatorLookup=true",
        unplayed="needs Maven Central",
    ),
    GeneratedClient("openapi-generator-cli", "csharp", unplayed="needs .NET and NuGet"),
    GeneratedClient("openapi-generator-cli", "rust", unplayed="needs crates.io"),
    GeneratedClient("openapi-python-client", "", "content_type_overrides", "openapi_python_client.py", "python"),
    GeneratedClient("datamodel-code-generator", "", "", "datamodel_code_generator.py", "python"),
    GeneratedClient("openapi-typescript", "", "", "openapi_fetch.ts", "typescript"),
    GeneratedClient("@hey-api/openapi-ts", "", "", "hey_api.ts", "typescript"),
)
