"""The shape of the code itself: module, function and page lengths, and words that must not appear."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("app", "analysis", "data")
MODULE_LINES, FUNCTION_LINES, PAGE_LINES = 250, 25, 40

# Each exception names its reason; an exception that is no longer needed fails the test, so the list cannot rot.
LONGER_MODULES: dict[str, str] = {}
LONGER_FUNCTIONS: dict[str, str] = {}
LONGER_PAGES: dict[str, str] = {}

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc", "tools"}
MODULES = sorted(path for floor in FLOORS for path in (ROOT / floor).rglob("*.py"))


def name_of(path: Path) -> str:
    """The path from the repository root, as the exception lists print it."""
    return path.relative_to(ROOT).as_posix()


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement after the docstring to the last."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return 0 if not body else (body[-1].end_lineno or 0) - body[0].lineno + 1


def functions() -> list[tuple[str, int]]:
    """Every function of the three floors with the length of its body."""
    found = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [(f"{name_of(path)}:{node.name}", body_lines(node))]
    return found


def code_lines(path: Path) -> int:
    """Lines that are neither blank, comment nor docstring."""
    source = path.read_text()
    tree = ast.parse(source)
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            skipped.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(source.splitlines(), start=1)
    return sum(1 for at, line in lines if at not in skipped and line.strip() and not line.strip().startswith("#"))


def check_budget(measured: dict[str, int], budget: int, exceptions: dict[str, str]) -> None:
    """What exceeds its budget is listed with a reason, and what is listed still exceeds it."""
    over = {name: size for name, size in measured.items() if size > budget}
    assert {n: s for n, s in over.items() if n not in exceptions} == {}, f"over {budget} lines"
    assert set(exceptions) - set(over) == set(), "listed as exceptions, but within the budget: strike them out"
    assert all(reason.strip() for reason in exceptions.values())


def test_modules_are_short() -> None:
    check_budget({name_of(p): len(p.read_text().splitlines()) for p in MODULES}, MODULE_LINES, LONGER_MODULES)


def test_functions_are_short() -> None:
    longest: dict[str, int] = {}
    for name, size in functions():
        longest[name] = max(size, longest.get(name, 0))
    check_budget(longest, FUNCTION_LINES, LONGER_FUNCTIONS)


def test_pages_are_thin() -> None:
    pages = [p for p in (ROOT / "app" / "pages").glob("*.py") if p.stem != "__init__"]
    check_budget({name_of(p): code_lines(p) for p in pages}, PAGE_LINES, LONGER_PAGES)


def test_modules_open_with_a_sentence() -> None:
    silent = [name_of(p) for p in MODULES if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))]
    assert silent == []


def test_names_say_something() -> None:
    assert [name_of(p) for p in MODULES if p.stem in VAGUE_NAMES] == []


def public_functions(path: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    """Top-level functions and classes without a leading underscore."""
    nodes = ast.parse(path.read_text()).body
    return [n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")]


def test_public_names_have_a_docstring() -> None:
    silent = [f"{name_of(p)}:{n.name}" for p in MODULES for n in public_functions(p) if not ast.get_docstring(n)]
    assert silent == []


@pytest.mark.parametrize("word", ["unsafe_allow_html", "components.v1", "st.html", "st.markdown(\"<", "sys.path"])
def test_words_that_have_no_place_in_the_code(word: str) -> None:
    assert [name_of(p) for p in MODULES if word in p.read_text()] == []


REGISTRIES = r"\b(?:pypi|pythonhosted|npmjs)\.(?:org|com)\b|--index-url"


def tracked_files() -> list[Path]:
    """Every text file under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    binary = {".woff2", ".png", ".parquet", ".ico", ".duckdb"}
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.suffix not in binary and path.is_file() and path != Path(__file__)]


def test_no_file_names_a_package_registry_or_a_home_folder() -> None:
    homes = r"/(?:root|home/\w+|Users/\w+)/"
    places = re.compile("|".join([REGISTRIES, homes, re.escape(f"{ROOT}/")]), re.IGNORECASE)
    hits = {name_of(p): m.group() for p in tracked_files() if (m := places.search(p.read_text(errors="replace")))}
    assert hits == {}
