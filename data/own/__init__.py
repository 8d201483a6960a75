"""What a person adds to the catalogue: chips, models, prices and claims, kept apart from the shipped files."""

from data.own.change import add, remove
from data.own.entries import OwnEntry, OwnRecords, read_own, stamp_of
from data.own.merge import Merged, merge

__all__ = ["Merged", "OwnEntry", "OwnRecords", "add", "merge", "read_own", "remove", "stamp_of"]
