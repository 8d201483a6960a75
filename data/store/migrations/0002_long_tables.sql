-- Files of tens of thousands of runs: their runs lie in a table of their own, long_<upload_id>, with the canonical
-- columns that the file fills; where a figure comes from is kept by column, the file's lines in compressed blocks.

CREATE TABLE long_table (
    upload_id VARCHAR PRIMARY KEY,
    run_count BIGINT NOT NULL,
    delimiter VARCHAR NOT NULL,
    labels VARCHAR NOT NULL
);

-- `place` is the column's position in the file, NULL for a field that no column holds.
CREATE TABLE column_field (
    upload_id VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    place INTEGER,
    unit VARCHAR NOT NULL,
    origin VARCHAR NOT NULL CHECK (origin IN ('stated', 'converted', 'derived', 'person', 'assumed')),
    path VARCHAR NOT NULL,
    raw VARCHAR NOT NULL,
    PRIMARY KEY (upload_id, field)
);

CREATE TABLE file_block (
    upload_id VARCHAR NOT NULL,
    block INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (upload_id, block)
);
