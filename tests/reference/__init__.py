"""A reference implementation of the rules: slow, written from the rule texts, without any code of the service.

Every query walks the whole board; there is no derived state that could be stale. A reader with rules.md in hand
can check it line by line, and tests compare the engine with it.
"""

from tests.reference.game import ReferenceGame

__all__ = ["ReferenceGame"]
