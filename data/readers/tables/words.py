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
    (r"\b(mean|avg|average|mittel(wert)?|durchschnitt(lich)?|moyenn?e?|promedio|medi[oa])\b|平均", "mean"),
    (r"\bstd\b|\bstd ?dev\b|stddev", "std"),
    (r"\bmin(imum|imal)?\b", "min"),
    (r"\bmax(imum|imal)?\b", "max"),
)

METRICS = (
    (
        r"ttft|(time|latency) to first( output)? token|first token|erste[sn]? token|premier (token|jeton)|primer token"
        r"|首 ?个? ?(token|字|令牌|包)",
        "ttft",
    ),
    (
        r"tpot|time per( output)? token|latency per( output)? token|ms per token|zeit (pro|je) token"
        r"|temps par (token|jeton)|tiempo por token|每 ?个? ?(token|字|令牌)",
        "tpot",
    ),
    (r"\bitl\b|inter ?token|inter ?chunk|\btbt\b|time between tokens", "itl"),
    (
        r"\be2el?\b|end ?to ?end|request latency|total latency|end latency|full latency|gesamtlatenz|gesamtzeit"
        r"|bout en bout|extremo a extremo|端到端|总(延迟|时延)",
        "e2e",
    ),
)
LATENCY = r"latenc(y|ies|e|ia)|latenza?|response time|antwortzeit|延迟|时延|响应时间"
THROUGHPUT = (
    r"throughput|durchsatz|\btput\b|\bspeed\b|geschwindigkeit|\b(t|r|q)ps\b|\bdebit\b|rendimiento|vazao|吞吐|速度"
)
PER_USER = r"(per|/|je|pro) ?(user|request|seq(uence)?|stream|nutzer|client)|\bper user\b"
PER_DEVICE = r"(per|/|je|pro) ?(gpu|device|accelerator|chip|card|karte|npu|hardware)"
OUTPUT = r"\bout(put)?\b|\bgenerat(ed|ion)\b|\bgen\b|\bausgabe\b|\bsortie\b|\bsalida\b|输出|生成"
INPUT = r"\binput\b|\bin tok|\bprompt\b|\beingabe\b|\bentree\b|\bentrada\b|输入"
PREFILL = r"\bprefill\b|\bpp\b|prompt processing|prompt eval"
TOTAL = r"\btotal\b|\boverall\b|\bgesamt\b|\bsystem\b|\bsum\b|\baggregate\b"

# First match wins. A field in capitals is no canonical field but a figure that rows.py turns into some.
FIELDS = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (
            r"accept(ance|ed)? ?(rate|ratio|%|percent)|per watt|per joule|perplexity|utili[sz]ation|\bmfu\b|\bmbu\b"
            r"|accuracy|memory|\bvram\b|model size|/ ?(w|j|watts?|joules?)\b"
            r"|(energy|energie|joules?|power|cost|price|\$)[^a-z]*(/|per|pro|je) ?(m|k|million|1k|1m)? ?(tok|req)",
            "",
        ),
        (r"^(notes?|comments?|remarks?|bemerkung(en)?|anmerkung(en)?|kommentar|notiz)$", "notes"),
        (r"kv ?(cache)? ?(format|d?type|precision|data type)", "kv_format"),
        (r"autocast|activation", ""),
        (
            r"weight storage|d ?type|data ?type|precision|quanti[sz]ation|^quant$|(weight|number) format|^format$"
            r"|datentyp|^precision|quantification|cuantizacion|精度|量化",
            "weight_format",
        ),
        (
            r"^(model|modell|llm|model ?name|modellname|model id|checkpoint|network|modele|modelo|modello"
            r"|nom du modele|模型(名称?)?)$",
            "model_raw",
        ),
        (
            r"^(#|num(ber)?|no|anzahl|n|count)( of| der)? ?"
            r"(gpus?|hardware|devices?|accelerators?|chips?|cards?|karten|npus?)$"
            r"|^(gpu|device|accelerator|chip|card|npu) ?(count|number|num)$"
            r"|^(nombre de|numero de|n de) (gpus?|cartes|tarjetas)$|^(gpu|卡|显卡|加速卡) ?数量?$",
            "device_count",
        ),
        (
            r"^(hardware|gpus?|gpu (type|model|name)|accelerators?|accelerator (type|model)"
            r"|devices?|device (type|name)|chips?|hw|system|platform"
            r"|inst(ance)?\.? ?type|karte|grafikkarte|npu|machine|materiel|carte|tarjeta|硬件|显卡|加速卡|gpu ?型号)$",
            "DEVICE",
        ),
        (r"\bnodes?\b|\bhosts?\b", "node_count"),
        (r"^(tp|tensor parallel(ism)?)( degree| size)?$", "tp"),
        (r"^(pp|pipeline parallel(ism)?)( degree| size)?$", "pp"),
        (r"^(dp|data parallel(ism)?)( degree| size)?$", "dp"),
        (r"^(ep|expert parallel(ism)?)( degree| size)?$", "ep"),
        (
            r"concurren|^(num(ber of)? |# ?|parallel )?users?$|parallel requests|in ?flight|gleichzeitig|^conc$|"
            r"^(num |# ?)?clients?$|^streams?$|nutzer|^utilisateurs?|^usuarios?|^utenti|requetes simultanees|并发"
            r"|^(max )?vus?$|^virtual users$",
            "concurrency",
        ),
        (r"\bbatch|^bs$|^b$|批(次|量)?大小|taille (de|du) lot|tamano (de|del) lote", "batch_size"),
        (r"accept(ance|ed)? ?(len|length|tokens)?$", "spec_accept_len"),
        (
            r"^(isl|input|in|prompt)( ?(len|length|tokens?))? ?[ /+,] ?"
            r"(osl|output|out)( ?(len|length|lengths|tokens?))?$",
            "BOTH_LENGTHS",
        ),
        (
            r"^(avg |mean |average )?(isl|input|prompt|in|eingabe)"
            r"( ?(len|length|tokens?|size|sequence length|seq len|lange))?$"
            r"|^(num |# )?(input|prompt) tokens$|eingabe ?(token|lange)"
            r"|^(tokens|jetons) (d entree|de entrada)$|^输入 ?(长度|token ?数?|令牌数?)$",
            "ISL",
        ),
        (
            r"^(avg |mean |average |max )?(osl|output|gen(eration|erated)?|out|new|decode|ausgabe)"
            r"( ?(len|length|tokens?|size|sequence length|seq len|lange))?$"
            r"|^(num |# )?(output|new|completion) (tokens|length|len)$|ausgabe ?(token|lange)"
            r"|^(tokens|jetons) (de sortie|de salida)$|^输出 ?(长度|token ?数?|令牌数?)$",
            "OSL",
        ),
        (r"success|erfolg|成功率", "SUCCESS"),
        (r"(error|fail(ure)?|fehler) ?(rate|%|percent|quote)|error %", "FAILURE"),
        (r"^(completed|succeeded|finished)( requests)?$|^ok requests$", "completed"),
        (r"fail|^errors?$|error count|fehler", "failed"),
        (r"request rate|arrival rate|target (rps|qps|rate)|offered load|anfragerate", "request_rate"),
        (
            r"^(num(ber of)? |# ?|total |anzahl |no of |nombre de )?"
            r"(requests?|prompts?|samples?|anfragen|requetes|solicitudes|peticiones)( sent| count)?$|^(总)?请求数$",
            "num_requests",
        ),
        (
            r"duration|elapsed|wall ?(clock)? ?time|^time$|benchmark time|dauer|laufzeit|run ?time|duree"
            r"|duracion|durata|总耗时|测试时长",
            "duration_s",
        ),
        (
            r"^(engine|framework|backend|serving engine|runtime|software|inference engine|server|moteur|motor|引擎|框架"
            r"|推理引擎)$",
            "engine",
        ),
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
