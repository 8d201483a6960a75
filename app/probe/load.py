"""What an endpoint is to be measured under."""

from __future__ import annotations

from dataclasses import dataclass

from data.errors import OutOfRangeError, ReadError
from data.server_address import server_address

MOST_REQUESTS = 100_000


@dataclass(frozen=True, kw_only=True)
class Load:
    """One probe of an OpenAI-compatible endpoint.

    server          address up to the host and port, http unless it says https; the tools add /v1/...
    model           name under which the server knows its model
    concurrencies   requests in flight, one run each
    input_tokens, output_tokens   lengths of every request
    requests        requests of each run
    tokenizer       name or folder of the tokenizer, where it is not the model's name; empty if it is
    """

    server: str
    model: str
    concurrencies: tuple[int, ...]
    input_tokens: int = 512
    output_tokens: int = 128
    requests: int = 32
    tokenizer: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "server", server_address(self.server).geturl().rstrip("/"))
        if not self.model.strip() or self.model.startswith("-"):
            raise ReadError("no model's name", found=self.model, remedy="Give the name the server lists at /v1/models.")
        if self.tokenizer.startswith("-"):
            raise ReadError("no tokenizer's name", found=self.tokenizer)
        numbers = (*self.concurrencies, self.input_tokens, self.output_tokens, self.requests)
        if not self.concurrencies or min(numbers) < 1 or max(numbers) > MOST_REQUESTS:
            raise OutOfRangeError("loads, lengths and requests are counts", found=numbers,
                                  expected=f"1 to {MOST_REQUESTS:,}")  # fmt: skip
