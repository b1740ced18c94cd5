"""The rules once more: slow, from the rule texts alone, with nothing of the service in it.

Every question floods the whole board anew; there is no state that could go stale. A reader with rules.md in hand
can check it line by line, and the engine is held against it.
"""

from tests.reference.game import IllegalAction, ReferenceGame

__all__ = ["IllegalAction", "ReferenceGame"]
