-- The embedded source: what it collects. The samples themselves are in samples.db.

CREATE TABLE scrape_targets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- the label job
  url TEXT NOT NULL, -- http, https, or nines:… for what is exposed inside of the process
  interval_seconds INTEGER NOT NULL,
  timeout_seconds REAL NOT NULL,
  labels TEXT NOT NULL, -- JSON object of strings, added to every series
  honor_labels INTEGER NOT NULL CHECK (honor_labels IN (0, 1)), -- 1: of two labels of one name the target's own stays
  sealed_auth TEXT, -- JSON credentials, encrypted (src/db/seal.ts)
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;

CREATE TABLE probes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- the label job
  type TEXT NOT NULL CHECK (type IN ('http', 'tcp', 'dns')),
  target TEXT NOT NULL, -- the label instance: a URL, host:port or a name
  interval_seconds INTEGER NOT NULL,
  timeout_seconds REAL NOT NULL,
  labels TEXT NOT NULL, -- JSON object of strings, added to every series
  sealed_settings TEXT NOT NULL, -- JSON of its type, encrypted (src/db/seal.ts): headers may be secret
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;
