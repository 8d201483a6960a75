"""Two counts of the same tokens, by the client's tokenizer and the server's usage, and what follows if they differ."""

from __future__ import annotations

from data.readers.intake.draft import Draft
from data.readers.intake.result import Answers, Question
from data.readers.nvidia.metrics import Metrics

DISAGREEMENT = 0.05  # share beyond which the two counts cannot both stand


def compare_counts(draft: Draft, metrics: Metrics, answers: Answers) -> list[Question]:
    """Warn where client and server count differently; offer the figures that follow from the server's count."""
    _reasoning(draft, metrics)
    _prompts(draft, metrics)
    client, server = draft.number("osl_mean"), _mean(metrics, "usage_completion_tokens")
    if not client or not server or abs(client - server) <= DISAGREEMENT * min(client, server):
        return []
    offers = _offers(draft, client, server)
    offered = ", ".join(f"{name} {value:.4g}" for name, value in offers.items())
    draft.warn(
        "token_count",
        f"client counted {client / server:.1f}x the server's tokens: {client:g} by its tokenizer, {server:g} by the "
        f"server's usage. Figures per token are the client's; by the server's count: {offered or 'not derivable'}",
        "osl_mean",
        *offers,
    )
    return [
        Question(
            field=name,
            text=f"Client and server count output tokens differently. Use {name} by the server's count?",
            proposal=f"{value:.6g}",
            because=f"the server reports {server:g} tokens a request where the client's tokenizer counts {client:g}",
        )
        for name, value in offers.items()
        if name not in answers
    ]


def _offers(draft: Draft, client: float, server: float) -> dict[str, float]:
    """Figures by the server's count: lengths, rates, and the TPOT from E2E and TTFT."""
    found = {"osl_mean": server}
    rate, whole, first = draft.number("output_tps"), draft.number("e2e_mean_ms"), draft.number("ttft_mean_ms")
    if rate is not None:
        found["output_tps"] = rate * server / client
    if whole is not None and first is not None and server > 1:
        found["tpot_mean_ms"] = (whole - first) / (server - 1)
    return found


def _reasoning(draft: Draft, metrics: Metrics) -> None:
    """Tokens of reasoning are output tokens: where the client saw content only, the server's count is the length."""
    content, server = _mean(metrics, "output_token_count"), _mean(metrics, "usage_completion_tokens")
    hidden = _mean(metrics, "reasoning_token_count") or _mean(metrics, "usage_reasoning_tokens")
    counted = draft.number("osl_mean") or content
    if not hidden or content is None or counted is None:
        return
    text = f"content {content:g} tokens a request, reasoning {hidden:g}"
    if server and server > counted and abs(server - content - hidden) <= DISAGREEMENT * server:
        draft.drop("osl_mean")
        path = f"{metrics['usage_completion_tokens'].place}.avg, reasoning inside"
        draft.put("osl_mean", server, path=path, origin="stated")
        text += f": the output is the server's {server:g}, where the client counted {counted:g}"
    draft.warn("reasoning", f"{text}; reasoning is part of the output, counted once", "osl_mean")


def _prompts(draft: Draft, metrics: Metrics) -> None:
    client, server = draft.number("isl_mean"), _mean(metrics, "usage_prompt_tokens")
    if client and server and abs(client - server) > DISAGREEMENT * min(client, server):
        draft.warn(
            "token_count",
            f"the client counted {client:g} prompt tokens a request, the server {server:g}: template, cache or "
            "tokenizer differ; lengths and input rates are the client's",
            "isl_mean",
        )


def _mean(metrics: Metrics, key: str) -> float | None:
    return metrics[key].number() if key in metrics else None
