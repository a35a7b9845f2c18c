-- The cache of query results. Ids are never used for another content: what is replaced gets a new one.
CREATE TABLE cache_entries (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  query_hash TEXT NOT NULL, -- SHA-256 of the query, in hex
  query TEXT NOT NULL,
  slo_id INTEGER NOT NULL, -- as it was given: need not exist
  time_window TEXT NOT NULL,
  size_bytes INTEGER NOT NULL, -- of the result as JSON text
  cached_at INTEGER NOT NULL,
  expires_at INTEGER, -- NULL: never
  hit_count INTEGER NOT NULL,
  last_hit_at INTEGER,
  used INTEGER NOT NULL, -- the higher, the later the last use, over all organizations
  UNIQUE (organization_id, key)
) STRICT;

-- Apart from the above, so that counting a use does not touch a large row.
CREATE TABLE cache_results (
  entry_id INTEGER PRIMARY KEY REFERENCES cache_entries (id) ON DELETE CASCADE,
  is_gzip INTEGER NOT NULL CHECK (is_gzip IN (0, 1)),
  checksum TEXT NOT NULL, -- SHA-256 of the entry's fixed columns and of `result`, in hex
  result BLOB NOT NULL
) STRICT;

-- Hits of each key in each hour since the epoch.
CREATE TABLE cache_hits (
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  hour INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  PRIMARY KEY (organization_id, hour, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX cache_hits_to_forget ON cache_hits (hour);

-- What each organization has asked its cache for, ever.
CREATE TABLE cache_counters (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  hits INTEGER NOT NULL,
  misses INTEGER NOT NULL,
  dropped INTEGER NOT NULL -- rows that were found to be corrupt
) STRICT;

-- One row once somebody has changed something; durations in milliseconds.
CREATE TABLE cache_config (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  default_ttl INTEGER NOT NULL,
  max_entries INTEGER NOT NULL,
  cleanup_interval INTEGER NOT NULL,
  enable_memory_cache INTEGER NOT NULL CHECK (enable_memory_cache IN (0, 1)),
  enable_compression INTEGER NOT NULL CHECK (enable_compression IN (0, 1)),
  compression_threshold INTEGER NOT NULL,
  enable_warmup INTEGER NOT NULL CHECK (enable_warmup IN (0, 1)),
  analytics_retention INTEGER NOT NULL
) STRICT;
