-- Version 3: labels and revisions of SLOs, the ledger, standing windows, evaluations, backfills, stored source queries.

ALTER TABLE slos ADD COLUMN labels TEXT NOT NULL DEFAULT '{}'; -- JSON object of strings
ALTER TABLE slos ADD COLUMN revision INTEGER NOT NULL DEFAULT 1; -- of how it is measured: see slo_revisions

-- How an SLO was measured over time: an edited query starts a new revision, and what the old one measured stays its own.
CREATE TABLE slo_revisions (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL, -- from 1
  definition TEXT NOT NULL, -- JSON: the queries, threshold, threshold_op, window_method, query_unit, source_id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (slo_id, revision)
) STRICT, WITHOUT ROWID;

-- The ledger: what each SLO measured, in slices aligned to UTC; measured again means replaced. One SLO's slices lie
-- together. They belong to the organization of their SLO, which is asked for first; a column for it would double the key.
CREATE TABLE slices (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  resolution INTEGER NOT NULL CHECK (resolution IN (60, 3600, 86400)), -- seconds
  start INTEGER NOT NULL CHECK (start % resolution = 0), -- Unix seconds
  good REAL NOT NULL, -- events, or covered seconds times value
  total REAL NOT NULL, -- events, or covered seconds
  covered_seconds INTEGER NOT NULL, -- 0: the source was asked and had nothing
  lead_good REAL NOT NULL, -- of good and total, what happened between the last sample before the slice and its first
  lead_total REAL NOT NULL,
  PRIMARY KEY (slo_id, revision, resolution, start)
) STRICT, WITHOUT ROWID;

-- The standing window of an SLO with two sides of counters: what the source said over the window that ended at end_at,
-- and what has left that window since. What has come since are its minute slices.
CREATE TABLE anchors (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  origin TEXT NOT NULL, -- revision, source and window; any other means a new anchor
  end_at INTEGER NOT NULL, -- Unix seconds, a whole minute
  counted REAL NOT NULL, -- events over the window
  total REAL NOT NULL,
  left_until INTEGER NOT NULL, -- Unix seconds: the window's start, up to which is subtracted
  left_counted REAL NOT NULL,
  left_total REAL NOT NULL,
  doubt TEXT -- why it is to be asked anew; NULL: it is not
) STRICT;

-- What is known of each SLO now. Budgets and values stand for measured_at, however old that is.
CREATE TABLE slo_states (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('healthy', 'warning', 'critical', 'unknown')),
  reason TEXT, -- why unknown
  message TEXT,
  evaluated_at INTEGER NOT NULL, -- when it was last tried
  measured_at INTEGER, -- the end of the windows of the values below; NULL: none yet
  current_value REAL, -- percent, over the current window
  own_value REAL, -- percent, over the SLO's own window
  budget_used REAL, -- percent
  good_events REAL, -- over the SLO's own window
  total_events REAL,
  current_coverage REAL, -- 0..1
  own_coverage REAL,
  burn_rates TEXT NOT NULL -- JSON array: see src/slos/burn-rates.ts
) STRICT;

CREATE INDEX slo_states_of_organization ON slo_states (organization_id);

-- Evaluations as they were made; after two days one row for each hour, after 35 days one for each day.
CREATE TABLE evaluations (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  at INTEGER NOT NULL, -- Unix seconds: the end of its windows
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('healthy', 'warning', 'critical', 'unknown')),
  reason TEXT,
  current_value REAL,
  own_value REAL,
  budget_used REAL,
  burn_rates TEXT NOT NULL, -- JSON: [long seconds, short seconds, long rate, short rate] of each tier
  resolution INTEGER NOT NULL CHECK (resolution IN (0, 3600, 86400)), -- seconds; 0: one evaluation
  rolled_up INTEGER NOT NULL, -- how many evaluations this row stands for; values are those of the last
  worst_status TEXT NOT NULL CHECK (worst_status IN ('healthy', 'warning', 'critical', 'unknown')),
  lowest_value REAL, -- of the current values
  PRIMARY KEY (slo_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX evaluations_by_age ON evaluations (resolution, at);

-- The past of a revision, asked of the source as far as it reaches.
CREATE TABLE backfills (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'running', 'done', 'cancelled', 'failed')),
  ends_at INTEGER NOT NULL, -- Unix seconds: what is asked lies before
  chunks INTEGER NOT NULL,
  chunks_done INTEGER NOT NULL,
  slices INTEGER NOT NULL, -- written so far
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX backfills_to_do ON backfills (status, created_at) WHERE status IN ('waiting', 'running');
CREATE INDEX backfills_of_organization ON backfills (organization_id);

-- Queries that are run periodically for an SLO; what came of them are executions.
CREATE TABLE source_queries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  source_id INTEGER REFERENCES data_sources (id), -- NULL: that of the SLO
  query_name TEXT NOT NULL,
  source_query TEXT NOT NULL,
  query_type TEXT NOT NULL CHECK (query_type IN ('availability', 'latency', 'throughput', 'error_rate', 'custom', 'ratio')),
  query_hash TEXT NOT NULL, -- SHA-256 of the normalized expression, in hex
  metric_labels TEXT NOT NULL, -- JSON array of strings
  evaluation_interval_seconds INTEGER NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  next_run_at INTEGER NOT NULL,
  last_value REAL, -- of the newest execution that had one
  last_value_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX source_queries_listed ON source_queries (organization_id, slo_id, id);
CREATE INDEX source_queries_of_slo ON source_queries (slo_id);
CREATE INDEX source_queries_of_source ON source_queries (source_id);
CREATE INDEX source_queries_due ON source_queries (next_run_at) WHERE is_active = 1;

ALTER TABLE executions ADD COLUMN forget_at INTEGER; -- NULL: after RETENTION_DAYS

CREATE INDEX executions_of_query ON executions (query_id, executed_at DESC) WHERE query_id IS NOT NULL;
CREATE INDEX executions_to_forget ON executions (forget_at) WHERE forget_at IS NOT NULL;

-- What was there before is the first revision of itself, and its past is asked for like that of a new SLO.
INSERT INTO slo_revisions (slo_id, revision, definition, created_at)
SELECT id, 1,
  json_object(
    'metric_query', metric_query, 'good_query', good_query, 'bad_query', bad_query, 'total_query', total_query,
    'threshold', threshold, 'threshold_op', threshold_op, 'window_method', window_method, 'query_unit', query_unit,
    'source_id', source_id
  ),
  created_at
FROM slos;

INSERT INTO backfills (slo_id, organization_id, revision, status, ends_at, chunks, chunks_done, slices, created_at, updated_at)
SELECT id, organization_id, 1, 'waiting', unixepoch() / 60 * 60, 0, 0, 0, unixepoch() * 1000, unixepoch() * 1000
FROM slos WHERE active = 1;
