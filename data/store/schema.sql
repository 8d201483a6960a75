-- The store's first schema. Names of quantities end in their unit; catalogue tables hold SI units,
-- run tables the customary units of benchmark tools (_ms, _tps = tokens a second, _rps = requests a second).
-- Never edit this file once released: add a numbered file to migrations/ instead.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP NOT NULL
);

-- One imported file. `answers`, `warnings` and `skipped` are JSON texts of what was said, doubted and left out.
CREATE TABLE upload (
    upload_id VARCHAR PRIMARY KEY,
    sha256 VARCHAR NOT NULL UNIQUE,
    file VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    tool_version VARCHAR,
    size_byte BIGINT NOT NULL,
    imported_at TIMESTAMP NOT NULL,
    answers VARCHAR NOT NULL,
    warnings VARCHAR NOT NULL,
    skipped VARCHAR NOT NULL
);

-- One benchmark run in canonical fields; a field that is not known is NULL.
-- A NULL that has a row in run_field was said to be unlimited (request_rate).
CREATE TABLE run (
    run_id VARCHAR PRIMARY KEY,
    configuration_id VARCHAR NOT NULL,
    source_file VARCHAR NOT NULL,
    source_format VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL CHECK (outcome IN ('ok', 'partial', 'failed', 'oom', 'invalid')),
    native VARCHAR NOT NULL,
    source_tool_version VARCHAR,
    engine VARCHAR,
    engine_version VARCHAR,
    model_raw VARCHAR,
    model_id VARCHAR,
    hardware VARCHAR,
    hardware_key VARCHAR,
    device_count BIGINT,
    node_count BIGINT,
    tp BIGINT,
    pp BIGINT,
    ep BIGINT,
    dp BIGINT,
    disagg_prefill_count BIGINT,
    disagg_decode_count BIGINT,
    weight_format VARCHAR,
    kv_format VARCHAR,
    spec_decoding VARCHAR,
    spec_accept_len DOUBLE,
    prefix_cache VARCHAR,
    prefix_hit_rate DOUBLE,
    load_mode VARCHAR,
    concurrency DOUBLE,
    concurrency_mean DOUBLE,
    concurrency_peak DOUBLE,
    request_rate DOUBLE,
    burstiness DOUBLE,
    batch_size BIGINT,
    dataset VARCHAR,
    isl_mean DOUBLE,
    isl_std DOUBLE,
    osl_mean DOUBLE,
    osl_std DOUBLE,
    isl_nominal DOUBLE,
    osl_nominal DOUBLE,
    depth_tokens DOUBLE,
    num_requests BIGINT,
    completed BIGINT,
    failed BIGINT,
    incomplete BIGINT,
    total_input_tokens DOUBLE,
    total_output_tokens DOUBLE,
    duration_s DOUBLE,
    request_rps DOUBLE,
    input_tps DOUBLE,
    output_tps DOUBLE,
    output_tps_std DOUBLE,
    output_tps_peak DOUBLE,
    prefill_tps DOUBLE,
    prefill_tps_std DOUBLE,
    total_tps DOUBLE,
    goodput_rps DOUBLE,
    slo VARCHAR,
    ttft_mean_ms DOUBLE,
    ttft_std_ms DOUBLE,
    ttft_min_ms DOUBLE,
    ttft_p50_ms DOUBLE,
    ttft_p75_ms DOUBLE,
    ttft_p90_ms DOUBLE,
    ttft_p95_ms DOUBLE,
    ttft_p99_ms DOUBLE,
    ttft_p999_ms DOUBLE,
    ttft_max_ms DOUBLE,
    tpot_mean_ms DOUBLE,
    tpot_std_ms DOUBLE,
    tpot_min_ms DOUBLE,
    tpot_p50_ms DOUBLE,
    tpot_p75_ms DOUBLE,
    tpot_p90_ms DOUBLE,
    tpot_p95_ms DOUBLE,
    tpot_p99_ms DOUBLE,
    tpot_p999_ms DOUBLE,
    tpot_max_ms DOUBLE,
    itl_mean_ms DOUBLE,
    itl_std_ms DOUBLE,
    itl_min_ms DOUBLE,
    itl_p50_ms DOUBLE,
    itl_p75_ms DOUBLE,
    itl_p90_ms DOUBLE,
    itl_p95_ms DOUBLE,
    itl_p99_ms DOUBLE,
    itl_p999_ms DOUBLE,
    itl_max_ms DOUBLE,
    e2e_mean_ms DOUBLE,
    e2e_std_ms DOUBLE,
    e2e_min_ms DOUBLE,
    e2e_p50_ms DOUBLE,
    e2e_p75_ms DOUBLE,
    e2e_p90_ms DOUBLE,
    e2e_p95_ms DOUBLE,
    e2e_p99_ms DOUBLE,
    e2e_p999_ms DOUBLE,
    e2e_max_ms DOUBLE,
    power_w DOUBLE,
    power_scope VARCHAR,
    energy_j DOUBLE,
    cost_per_hour DOUBLE,
    cost_currency VARCHAR,
    started_at VARCHAR,
    notes VARCHAR
);

CREATE INDEX run_configuration ON run (configuration_id);

-- Which files hold a run: a run met in several files is stored once and goes with the last of them.
CREATE TABLE upload_run (
    upload_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (upload_id, run_id)
);

-- Where each figure of a run comes from.
CREATE TABLE run_field (
    run_id VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    raw VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    origin VARCHAR NOT NULL CHECK (origin IN ('stated', 'converted', 'derived', 'person', 'assumed')),
    path VARCHAR NOT NULL,
    PRIMARY KEY (run_id, field)
);

-- Answers given before, proposed the next time: scope is a file format, or a folder.
CREATE TABLE remembered_answer (
    scope VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    answer VARCHAR NOT NULL,
    said_at TIMESTAMP NOT NULL,
    PRIMARY KEY (scope, field)
);

-- The catalogue files from which the tables below were built; rebuilt when the hash of the files changes.
CREATE TABLE catalogue_build (
    sha256 VARCHAR PRIMARY KEY,
    built_at TIMESTAMP NOT NULL
);

CREATE TABLE chip (
    key VARCHAR PRIMARY KEY,
    name VARCHAR,
    vendor VARCHAR,
    kind VARCHAR,
    generation VARCHAR,
    execution VARCHAR,
    status VARCHAR,
    available BOOLEAN,
    confidence VARCHAR,
    audited VARCHAR,
    note VARCHAR,
    memory_byte DOUBLE,
    memory_visible_byte DOUBLE,
    bandwidth_byte_per_s DOUBLE,
    second_tier_byte DOUBLE,
    second_tier_bandwidth_byte_per_s DOUBLE,
    onchip_memory_byte DOUBLE,
    onchip_bandwidth_byte_per_s DOUBLE,
    peak_fp32_flop_per_s DOUBLE,
    peak_tf32_flop_per_s DOUBLE,
    peak_bf16_flop_per_s DOUBLE,
    peak_fp16_flop_per_s DOUBLE,
    peak_fp8_flop_per_s DOUBLE,
    peak_fp6_flop_per_s DOUBLE,
    peak_fp4_flop_per_s DOUBLE,
    peak_int8_op_per_s DOUBLE,
    peak_int4_op_per_s DOUBLE,
    link_bandwidth_byte_per_s DOUBLE,
    link_pair_only BOOLEAN,
    scale_up_device_count INTEGER,
    core_count INTEGER,
    power_w DOUBLE,
    price_usd DOUBLE,
    rental_usd_per_hour DOUBLE,
    fabric_bandwidth_byte_per_s DOUBLE,
    conflicts VARCHAR,
    source_check VARCHAR,
    release VARCHAR,
    process VARCHAR,
    memory_type VARCHAR,
    interconnect VARCHAR,
    host_link VARCHAR,
    second_tier VARCHAR,
    system VARCHAR,
    sparsity VARCHAR,
    price_note VARCHAR,
    rental_note VARCHAR
);

-- Every catalogue field with its source; value as number where it is one, as text where it is not.
CREATE TABLE chip_fact (
    key VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    value DOUBLE,
    value_text VARCHAR,
    shown VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    source_title VARCHAR NOT NULL,
    source_where VARCHAR NOT NULL,
    located_at VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    PRIMARY KEY (key, field)
);

CREATE TABLE architecture (
    key VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL,
    publisher_name VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    hidden INTEGER NOT NULL,
    vocabulary INTEGER NOT NULL,
    layers INTEGER NOT NULL,
    tied_embeddings BOOLEAN NOT NULL,
    max_context_tokens INTEGER NOT NULL,
    native_weight_format VARCHAR NOT NULL,
    published_total_parameters BIGINT,
    published_active_parameters DOUBLE,
    audited VARCHAR NOT NULL,
    note VARCHAR NOT NULL
);

CREATE TABLE architecture_fact (
    key VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    value DOUBLE,
    value_text VARCHAR,
    shown VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    source_title VARCHAR NOT NULL,
    source_where VARCHAR NOT NULL,
    located_at VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    PRIMARY KEY (key, field)
);

CREATE TABLE price (
    item VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    amount DOUBLE NOT NULL,
    currency VARCHAR NOT NULL,
    date VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    chip_key VARCHAR NOT NULL,
    source_title VARCHAR NOT NULL,
    source_where VARCHAR NOT NULL,
    note VARCHAR NOT NULL
);
