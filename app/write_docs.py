"""The pages of docs that are made from the code, so that they cannot say something else than it does."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from analysis.explain import equation_pages
from analysis.metrics import METRICS
from data.catalogue.catalogue import load_catalogue
from data.readers import readers

DOCS = Path(__file__).resolve().parents[1] / "docs"
MADE = "<!-- Made by `make docs` from the code; edit the code instead. -->"


def pages() -> dict[str, str]:
    """Text of every generated page by file name."""
    return {
        "methods.md": methods(),
        "glossary.md": glossary(),
        "catalogue.md": catalogue(),
        "formats.md": formats(),
    }


def _page(title: str, *parts: str) -> str:
    return "\n".join([f"# {title}", "", MADE, "", *parts]).rstrip() + "\n"


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _table(header: tuple[str, ...], rows: list[str]) -> str:
    return "\n".join([_row(*header), _row(*("---" for _ in header)), *rows, ""])


def methods() -> str:
    """Every equation with its formula, symbols and source."""
    parts = []
    for topic, members in groupby(equation_pages(), key=lambda each: each.topic):
        parts.append(f"## {topic.replace('_', ' ')}\n")
        for each in members:
            symbols = [f"- `{a.symbol}` {a.meaning} [{a.unit or '-'}]" for a in each.arguments]
            formula = "\n".join(f"    {line}" for line in each.lines)
            parts += [f"### {each.name}\n", f"{each.summary} [{each.unit or '-'}]\n", formula + "\n", *symbols]
            parts.append(
                f"\n{each.remarks}\n\nSource: {each.source}\n" if each.remarks else f"\nSource: {each.source}\n"
            )
    return _page("Methods", *parts)


def glossary() -> str:
    """Every quantity shown, with its unit and the direction that is better."""
    rows = [_row(f"`{m.key}`", m.label, m.unit or "-", m.better) for m in METRICS.values()]
    return _page("Glossary", _table(("column", "meaning", "unit (SI)", "better"), rows))


def catalogue() -> str:
    """Chips and models by key, with how firm they are."""
    known = load_catalogue()
    chips = [_row(f"`{c.key}`", c.name, c.vendor, c.kind, c.status, c.confidence) for c in known.chips.values()]
    models = [
        _row(f"`{a.key}`", a.name, a.release, a.layers, a.native_weight_format, a.configuration_kind)
        for a in known.architectures.values()
    ]
    return _page(
        "Catalogue",
        f"{len(chips)} chips, {len(models)} models, {len(known.prices)} dated prices.\n",
        "## Chips\n",
        _table(("key", "name", "vendor", "kind", "status", "confidence"), chips),
        "## Models\n",
        _table(("key", "name", "release", "layers", "native format", "configuration"), models),
    )


def formats() -> str:
    """Every file format that is read, what it lacks and what is asked."""
    rows = [_row(r.title, ", ".join(r.lacks) or "-", ", ".join(r.asks) or "-") for r in readers()]
    return _page("Formats", _table(("format", "lacks", "asked for"), rows))


def main() -> None:
    """Write every page."""
    for name, text in pages().items():
        (DOCS / name).write_text(text)


if __name__ == "__main__":
    main()
