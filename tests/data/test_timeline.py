"""What a server did between scrapes, against counters written by hand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from data.errors import ReadError
from data.readers.metrics_text.exposition import growth_between, scrapes_of
from data.readers.metrics_text.recording import metrics_address, scrape
from data.readers.metrics_text.timeline import read_timeline
from tests.shared_files import shared_path


def text(moment: str, tokens: float, gaps: float, running: int = 3, used: float = 0.25) -> str:
    """A scrape: tokens made, and as many gaps between them taking `gaps` seconds in all."""
    tags = '{model_name="m"}'
    return "\n".join([
        f"# scraped {moment}", f"vllm:generation_tokens_total{tags} {tokens}",
        f"vllm:inter_token_latency_seconds_sum{tags} {gaps}", f"vllm:inter_token_latency_seconds_count{tags} {tokens}",
        f"vllm:num_requests_running{tags} {running}", f"vllm:kv_cache_usage_perc{tags} {used}", "",
    ])  # fmt: skip


def test_intervals_by_hand() -> None:
    """10 s: 500 tokens -> 50 a second, 10 s over 500 gaps -> 20 ms; then 600 in 12 s -> 50 a second, 25 ms."""
    files = (
        text("2026-01-01T00:00:00Z", 100, 2)
        + text("2026-01-01T00:00:10Z", 600, 12, running=5)
        + text("2026-01-01T00:00:22Z", 1200, 27, used=0.5)
    )
    found = read_timeline([("a.txt", files.encode())])
    assert (found.engine, found.model) == ("vllm", "m")
    assert [one.span_s for one in found.intervals] == [10, 12]
    assert [one.values["output_tps"] for one in found.intervals] == [50, 50]
    assert [one.values["itl_mean_ms"] for one in found.intervals] == [20, pytest.approx(25)]
    assert [one.values["running"] for one in found.intervals] == [5, 3]
    assert found.intervals[1].values["cache_used"] == 0.5
    assert not any(one.restarted for one in found.intervals)


def test_a_queue_that_empties_is_no_restart_and_a_counter_that_falls_is_one() -> None:
    steady = scrapes_of(
        (text("2026-01-01T00:00:00Z", 1, 1, running=9) + text("2026-01-01T00:00:09Z", 2, 2)).split("\n")
    )
    assert growth_between(steady).resets == 0
    fallen = text("2026-01-01T00:00:00Z", 900, 9) + text("2026-01-01T00:00:10Z", 100, 2)
    found = read_timeline([("a", fallen.encode())])
    assert found.intervals[0].restarted
    assert found.intervals[0].values["output_tps"] == 10, "from zero again: 100 in 10 s"
    assert "restarted" in found.notes[0]


def test_files_in_any_order_and_scrapes_without_times() -> None:
    one, two = (text(f"2026-01-01T00:00:{second:02}Z", tokens, 1) for second, tokens in ((0, 0), (10, 50)))
    assert read_timeline([("b", two.encode()), ("a", one.encode())]).intervals[0].values["output_tps"] == 5
    bare = [(name, "\n".join(each.split("\n")[1:]).encode()) for name, each in (("a", one), ("b", two))]
    with pytest.raises(ReadError, match="carry no times"):
        read_timeline(bare)
    assert read_timeline(bare, 5.0).intervals[0].values["output_tps"] == 10


def test_a_range_query_is_read_by_its_times() -> None:
    """Values are texts; NaN is left out."""
    series = {"metric": {"__name__": "vllm:generation_tokens_total"}, "values": [[10, "5"], [20, "25"], [30, "NaN"]]}
    more = {"metric": {"__name__": "vllm:num_requests_running"}, "values": [[10, "1"], [20, "2"], [30, "4"]]}
    answer = {"status": "success", "data": {"resultType": "matrix", "result": [series, more]}}
    found = read_timeline([("q.json", json.dumps(answer).encode())])
    assert found.intervals[0].values["output_tps"] == 2
    assert found.intervals[1].values["running"] == 4
    assert "output_tps" not in found.intervals[1].values


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"hello", "no metric"),
        (text("2026-01-01T00:00:00Z", 1, 1).encode(), "one scrape"),
        (b'{"status": "error", "error": "too many"}', "query failed"),
        ((text("2026-01-01T00:00:00Z", 1, 1) + text("2026-01-01T00:00:00Z", 2, 1)).encode(), "same time"),
    ],
)
def test_what_is_no_timeline_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_timeline([("x", content)])


def test_a_real_scrape_alone_is_too_little() -> None:
    path = shared_path("samples", "prometheus_vllm_0.25.1_loaded.txt")
    with pytest.raises(ReadError, match="one scrape"):
        read_timeline([(path.name, path.read_bytes())])


class _Server(BaseHTTPRequestHandler):
    content = b""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/metrics" else 404)
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    running = HTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def test_scrapes_are_taken_from_the_server_named(server: str) -> None:
    _Server.content = b"python_info 1\nvllm:generation_tokens_total 5\nvllm:generation_tokens_created 1e9\n"
    taken = scrape(metrics_address(server))
    assert taken.startswith("# scraped 20")
    assert taken.endswith("Z\nvllm:generation_tokens_total 5\n")
    _Server.content = b"python_info 1\n"
    with pytest.raises(ReadError, match="no metric"):
        scrape(metrics_address(server))


def test_addresses_that_are_none_are_refused() -> None:
    assert metrics_address("http://gpu1:8000/") == "http://gpu1:8000/metrics"
    assert metrics_address("gpu1:8000/prom?x=1") == "http://gpu1:8000/prom?x=1"
    for wrong in ("file:///etc/passwd", "ftp://x", "http://"):
        with pytest.raises(ReadError, match="not the address"):
            metrics_address(wrong)
    with pytest.raises(ReadError, match="did not answer"):
        scrape("http://127.0.0.1:9/metrics")
