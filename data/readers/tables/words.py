"""The vocabulary of hand-made headers: which words name which canonical field."""

from __future__ import annotations

import re

STATISTICS = (
    (r"\bp ?99[.,]?9\b|99[.,]9 ?(?:%|th|percentile)", "p999"),
    (r"\bp ?99\b|\b99 ?(?:%|th|percentile)", "p99"),
    (r"\bp ?95\b|\b95 ?(?:%|th|percentile)", "p95"),
    (r"\bp ?90\b|\b90 ?(?:%|th|percentile)", "p90"),
    (r"\bp ?75\b|\b75 ?(?:%|th|percentile)", "p75"),
    (r"\bp ?50\b|\bmedian\b|\b50 ?(?:%|th|percentile)", "p50"),
    (r"\b(mean|avg|average|mittel(wert)?|durchschnitt(lich)?)\b", "mean"),
    (r"\bstd\b|\bstd ?dev\b|stddev", "std"),
    (r"\bmin(imum|imal)?\b", "min"),
    (r"\bmax(imum|imal)?\b", "max"),
)

METRICS = (
    (r"ttft|(time|latency) to first( output)? token|first token|erste[sn]? token", "ttft"),
    (r"tpot|time per( output)? token|latency per( output)? token|ms per token|zeit (pro|je) token", "tpot"),
    (r"\bitl\b|inter ?token|inter ?chunk|\btbt\b|time between tokens", "itl"),
    (r"\be2el?\b|end ?to ?end|request latency|total latency|end latency|full latency|gesamtlatenz|gesamtzeit", "e2e"),
)
LATENCY = r"latenc(y|ies)|latenz|response time|antwortzeit"
THROUGHPUT = r"throughput|durchsatz|\btput\b|\bspeed\b|geschwindigkeit|\b(t|r|q)ps\b"
PER_USER = r"(per|/|je|pro) ?(user|request|seq(uence)?|stream|nutzer|client)|\bper user\b"
PER_DEVICE = r"(per|/|je|pro) ?(gpu|device|accelerator|chip|card|karte|npu|hardware)"
OUTPUT = r"\bout(put)?\b|\bgenerat(ed|ion)\b|\bgen\b|\bausgabe\b"
INPUT = r"\binput\b|\bin tok|\bprompt\b|\beingabe\b"
PREFILL = r"\bprefill\b|\bpp\b|prompt processing|prompt eval"
TOTAL = r"\btotal\b|\boverall\b|\bgesamt\b|\bsystem\b|\bsum\b|\baggregate\b"

# First match wins. A field in capitals is no canonical field but a figure that rows.py turns into some.
FIELDS = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (
            r"accept(ance|ed)? ?(rate|ratio|%|percent)|per watt|per joule|perplexity|utili[sz]ation|\bmfu\b|\bmbu\b"
            r"|accuracy|memory|\bvram\b|model size",
            "",
        ),
        (r"^(notes?|comments?|remarks?|bemerkung(en)?|anmerkung(en)?|kommentar|notiz)$", "notes"),
        (r"kv ?(cache)? ?(format|d?type|precision|data type)", "kv_format"),
        (r"autocast|activation", ""),
        (
            r"weight storage|d ?type|data ?type|precision|quanti[sz]ation|^quant$|(weight|number) format|^format$"
            r"|datentyp",
            "weight_format",
        ),
        (r"^(model|modell|llm|model ?name|modellname|model id|checkpoint|network)$", "model_raw"),
        (
            r"^(#|num(ber)?|no|anzahl|n|count)( of| der)? ?"
            r"(gpus?|hardware|devices?|accelerators?|chips?|cards?|karten|npus?)$"
            r"|^(gpu|device|accelerator|chip|card|npu) ?(count|number|num)$",
            "device_count",
        ),
        (
            r"^(hardware|gpus?|gpu (type|model|name)|accelerators?|accelerator (type|model)"
            r"|devices?|device (type|name)|chips?|hw|system|platform"
            r"|inst(ance)?\.? ?type|karte|grafikkarte|npu|machine)$",
            "DEVICE",
        ),
        (r"\bnodes?\b|\bhosts?\b", "node_count"),
        (r"^(tp|tensor parallel(ism)?)( degree| size)?$", "tp"),
        (r"^(pp|pipeline parallel(ism)?)( degree| size)?$", "pp"),
        (r"^(dp|data parallel(ism)?)( degree| size)?$", "dp"),
        (r"^(ep|expert parallel(ism)?)( degree| size)?$", "ep"),
        (
            r"concurren|^(num(ber of)? |# ?|parallel )?users?$|parallel requests|in ?flight|gleichzeitig|^conc$|"
            r"^(num |# ?)?clients?$|^streams?$|nutzer",
            "concurrency",
        ),
        (r"\bbatch|^bs$|^b$", "batch_size"),
        (r"accept(ance|ed)? ?(len|length|tokens)?$", "spec_accept_len"),
        (r"^(isl osl|input output (len|length|tokens))$", "BOTH_LENGTHS"),
        (
            r"^(avg |mean |average )?(isl|input|prompt|in|eingabe)"
            r"( ?(len|length|tokens?|size|sequence length|seq len|lange))?$"
            r"|^(num |# )?(input|prompt) tokens$|eingabe ?(token|lange)",
            "ISL",
        ),
        (
            r"^(avg |mean |average |max )?(osl|output|gen(eration|erated)?|out|new|decode|ausgabe)"
            r"( ?(len|length|tokens?|size|sequence length|seq len|lange))?$"
            r"|^(num |# )?(output|new) tokens$|ausgabe ?(token|lange)",
            "OSL",
        ),
        (r"success|erfolg", "SUCCESS"),
        (r"(error|fail(ure)?|fehler) ?(rate|%|percent|quote)|error %", "FAILURE"),
        (r"^(completed|succeeded|finished)( requests)?$|^ok requests$", "completed"),
        (r"fail|^errors?$|error count|fehler", "failed"),
        (r"request rate|arrival rate|target (rps|qps|rate)|offered load|anfragerate", "request_rate"),
        (
            r"^(num(ber of)? |# ?|total |anzahl |no of )?(requests?|prompts?|samples?|anfragen)( sent| count)?$",
            "num_requests",
        ),
        (r"duration|elapsed|wall ?(clock)? ?time|^time$|benchmark time|dauer|laufzeit|run ?time", "duration_s"),
        (r"^(engine|framework|backend|serving engine|runtime|software|inference engine|server)$", "engine"),
        (r"version$", "engine_version"),
        (r"\bpower\b|leistung|watt", "power_w"),
        (r"\benergy\b|energie|joule", "energy_j"),
        (r"(cost|price|kosten|preis).*(hour|/h|hr|stunde)", "cost_per_hour"),
        (r"^(status|outcome)$", "STATUS"),
        (r"^(dataset|data set|workload)$", "dataset"),
        (r"^(scenario|label|name|config(uration)?|set ?up|experiment|test|case|description|variant)\b", "notes"),
        (r"^(started( at)?|time ?stamp|date|datum|zeit)$", "started_at"),
    )
)
