-- The current schema of nines.db. A new data folder is created from this file; an older one is migrated to the same schema by
-- src/db/migrations.ts, which a test verifies. Samples of the embedded source are in samples.db (src/db/open-samples.ts).
--
-- Eight sections, in the order in which they build on each other:
--   1 organizations and users    2 sign-in and tokens    3 SLOs         4 measurements
--   5 alerts and notifications   6 collection            7 reports      8 queries and their cache
-- docs/architecture.md, "Tables", has a diagram of them.
--
-- The comment above a table gives its row, its writer, when rows are deleted, and the unit of its times: ms or s since 1970 (UTC).
-- Every row that belongs to an organization carries organization_id or the id of a row that does, and every query filters by it.
-- Deleting a row deletes those that refer to it with ON DELETE CASCADE. Booleans are 0 and 1. JSON columns are marked as such.
-- A CHECK of more than two values is written with OR: for IN, SQLite builds a table of them at each insert, which costs more
-- than the rest of the insert.

-- 1 · Organizations and users ---------------------------------------------------------------------------------------

-- This instance of nines: one row, written at the first start. `nines rotate-secret seal` changes its key id, a start of another
-- version the version.
CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL, -- in the keys that receivers see; does not change when seal.secret is rotated
  seal_key_id TEXT NOT NULL, -- identifies the seal.secret that the sealed values here were sealed with
  version TEXT -- of the nines that was started last; NULL: none has been started
) STRICT;

-- A tenant: written with its first user, and never deleted. Times in ms.
CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, -- not unique: two organizations may have the same name
  created_at INTEGER NOT NULL,
  next_team_id INTEGER NOT NULL DEFAULT 2, -- the number of a deleted team is not used again
  time_zone TEXT, -- an IANA name; NULL: UTC in messages, and that of each browser on the page
  clock TEXT CHECK (clock = '12h' OR clock = '24h'), -- NULL: 24h in messages, and that of each browser on the page
  second_factor_required INTEGER NOT NULL DEFAULT 0 CHECK (second_factor_required IN (0, 1)) -- of who signs in with a password
) STRICT;

-- A team of an organization. Ids are numbered inside it; team 1, "Default", is created with it. Deleted by request if no
-- SLO is in it, deleted ones included. Times in ms.
CREATE TABLE teams (
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  budget_policy TEXT NOT NULL DEFAULT '[]', -- of its SLOs that have none of their own; JSON array as in slos
  PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;

-- A person who signs in. Written by registration, an accepted invitation or the first sign-in by a provider; deleted by
-- an administrator or by the person. Times in ms.
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email TEXT NOT NULL, -- as written by its owner
  email_key TEXT NOT NULL UNIQUE, -- in lower case, for comparing e-mails
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role = 'admin' OR role = 'member' OR role = 'viewer'),
  password_hash TEXT NOT NULL, -- argon2id; empty: has no password, and signs in by a provider
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  email_confirmed_at INTEGER, -- NULL: nobody has proved to read its mailbox
  time_zone TEXT, -- an IANA name; NULL: that of the organization
  clock TEXT CHECK (clock = '12h' OR clock = '24h'), -- NULL: that of the organization
  upgraded_from TEXT -- the version before the upgrades whose news this administrator has not closed; NULL: none
) STRICT;

CREATE INDEX users_of_organization ON users (organization_id);

-- An invitation to an organization; valid once, for seven days. Replaced by a new one for the same address, deleted by
-- request or 30 days after it expires. Times in ms.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role = 'admin' OR role = 'member' OR role = 'viewer'),
  hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  invited_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER,
  mailed_hash TEXT -- hash of the token that only the mail contains: its bearer reads the mailbox
) STRICT;

CREATE INDEX invitations_of_organization ON invitations (organization_id);
CREATE INDEX invitations_of_inviter ON invitations (invited_by);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
CREATE UNIQUE INDEX invitations_by_mailed_hash ON invitations (mailed_hash) WHERE mailed_hash IS NOT NULL;
CREATE UNIQUE INDEX one_open_invitation ON invitations (organization_id, email_key) WHERE accepted_at IS NULL;

-- An action and who performed it, written in the transaction of the action. Deleted after RETENTION_DAYS, or beyond
-- QUOTA_HISTORY_ROWS. Times in ms.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
  user_id INTEGER, -- kept when the user is removed
  email TEXT,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  details TEXT NOT NULL, -- JSON object
  created_at INTEGER NOT NULL,
  credential TEXT -- JSON: the session, API token or application that acted; NULL: none, as for a login
) STRICT;

CREATE INDEX audit_log_listed ON audit_log (organization_id, id DESC, event, outcome, user_id, created_at);
CREATE INDEX audit_log_by_time ON audit_log (created_at);
CREATE INDEX invitations_made ON audit_log (organization_id, created_at) WHERE event = 'invitation_created'; -- for the quota of invitations an hour

-- 2 · Sign-in and tokens --------------------------------------------------------------------------------------------
-- Tokens are stored as hashes only. An hourly job deletes rows that have expired.

-- A sign-in. Access tokens name their session (sid) and end with it. Deleted by signing out, at its expiry, or beyond
-- 100 of one user. Times in ms.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, -- unless it is refreshed
  last_used_at INTEGER NOT NULL, -- written at most every five minutes
  ip TEXT NOT NULL, -- address at the sign-in, or the last refresh
  user_agent TEXT NOT NULL -- likewise
) STRICT;

CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A refresh token that a session has had; presenting a used one again ends the session. Deleted with the session or 30
-- days after its use; a session keeps 500 used ones. Times in ms.
CREATE TABLE refresh_tokens (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex; the token itself is never stored
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_of_session ON refresh_tokens (session_id);

-- A refresh token that was still valid when its user was removed, kept until it would have expired: its holder gets the
-- answer that the user was removed. Written by a trigger. Times in ms.
CREATE TABLE orphaned_refresh_tokens (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER refresh_tokens_are_orphaned BEFORE DELETE ON users BEGIN
  INSERT OR IGNORE INTO orphaned_refresh_tokens (hash, expires_at)
  SELECT refresh_tokens.hash, sessions.expires_at
  FROM sessions JOIN refresh_tokens ON refresh_tokens.session_id = sessions.id
  WHERE sessions.user_id = OLD.id AND refresh_tokens.used_at IS NULL;
END;

-- A person at an OpenID provider or behind a proxy who signs in as a user. Written at the first sign-in, deleted with
-- the user. Times in ms.
CREATE TABLE external_identities (
  issuer TEXT NOT NULL, -- of the provider; 'proxy': the user name that a trusted proxy sends
  subject TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  signed_in_at INTEGER NOT NULL, -- the last time
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX external_identities_of_user ON external_identities (user_id);

-- A session opened by a provider or a proxy; it ends 12 hours after sign-in, whatever is refreshed. Deleted with the
-- session. Times in ms.
CREATE TABLE external_sessions (
  session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  ends_at INTEGER NOT NULL,
  id_token TEXT -- for signing out at the provider; proves nothing to nines
) STRICT;

-- The authenticator app (TOTP, RFC 6238) of an account with a password. Written when its set-up begins; deleted when it
-- is switched off. Times in ms.
CREATE TABLE second_factors (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL, -- base32, encrypted (src/db/sealing/seal.ts)
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER, -- NULL: its set-up has begun, and it is not asked for yet
  last_step INTEGER -- the newest step (30 seconds since the epoch) whose code was used: each is good once
) STRICT;

CREATE INDEX second_factors_of_organization ON second_factors (organization_id);

-- A code that replaces one of the authenticator app, valid once. Written when the factor is confirmed, replaced
-- together. Times in ms.
CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL, -- SHA-256 in hex
  used_at INTEGER,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- A sign-in with a correct password that waits for its second factor. Deleted when it succeeds, at the fifth failure or
-- after five minutes. Times in ms.
CREATE TABLE sign_in_challenges (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex of the mfa_token
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  failures INTEGER NOT NULL -- the fifth ends it
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_challenges_of_user ON sign_in_challenges (user_id);
CREATE INDEX sign_in_challenges_by_expiry ON sign_in_challenges (expires_at);

-- A failed login, including e-mails that nobody has registered. Deleted by a successful login from the same network, or
-- after a day. Times in ms.
CREATE TABLE login_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email_key TEXT NOT NULL,
  ip TEXT NOT NULL,
  attempted_at INTEGER NOT NULL,
  session_id INTEGER -- the live session that guessed, in a password change
) STRICT;

CREATE INDEX login_attempts_by_email ON login_attempts (email_key, attempted_at);
CREATE INDEX login_attempts_by_ip ON login_attempts (ip, attempted_at);
CREATE INDEX login_attempts_by_time ON login_attempts (attempted_at);
CREATE INDEX login_attempts_by_session ON login_attempts (session_id, attempted_at) WHERE session_id IS NOT NULL;

-- A network and device from which an account has recently signed in: wrong guesses from elsewhere do not lock it out,
-- and a sign-in from a new one is mailed to the user. Deleted after 30 days without use. Times in ms.
CREATE TABLE known_networks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network TEXT NOT NULL, -- an IPv4 address, or the /64 of an IPv6 one
  device TEXT NOT NULL, -- browser and system in words, of the user agent
  last_at INTEGER NOT NULL,
  UNIQUE (user_id, network, device)
) STRICT;

CREATE INDEX known_networks_by_time ON known_networks (last_at);

-- A requested password reset; valid once, for an hour. Times in ms.
CREATE TABLE password_resets (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex of the UUID that was mailed
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE, -- NULL: mailed to nobody, so that all requests cost the same
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX password_resets_of_user ON password_resets (user_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

-- A mailed confirmation of an address; valid once, for seven days. Times in ms.
CREATE TABLE email_confirmations (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE, -- NULL: mailed to nobody, so that all requests cost the same
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_confirmations_of_user ON email_confirmations (user_id);
CREATE INDEX email_confirmations_by_expiry ON email_confirmations (expires_at);

-- A requested change of an address; valid once, for a day. The account keeps its address until the new one is confirmed.
-- Times in ms.
CREATE TABLE email_changes (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex of the token that the new address was mailed
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL, -- the new address, as written by its owner
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  withdrawn_at INTEGER -- NULL: it waits; otherwise it was withdrawn, replaced by a later one, or confirmed
) STRICT, WITHOUT ROWID;

CREATE INDEX email_changes_of_user ON email_changes (user_id);
CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);

-- A bearer token for a machine, created by a user. Deleted when it is revoked, with its user, or 30 days after it
-- expires. Times in ms.
CREATE TABLE api_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- its creator; deleted with them
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role = 'admin' OR role = 'member' OR role = 'viewer'),
  scope TEXT CHECK (scope = 'ingest' OR scope = 'annotate'), -- all that it may do; NULL: all that the role may
  hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  expires_at INTEGER, -- NULL: never
  last_used_at INTEGER, -- written at most once a minute
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX api_tokens_of_organization ON api_tokens (organization_id);
CREATE INDEX api_tokens_of_user ON api_tokens (user_id);

-- An application that may act for a user after the user's consent (OAuth2). Written and deleted by an administrator.
-- Times in ms.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY, -- the client_id
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT, -- SHA-256 in hex; NULL: a public client
  redirect_uris TEXT NOT NULL, -- JSON array
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_clients_of_organization ON oauth_clients (organization_id);
CREATE INDEX oauth_clients_of_creator ON oauth_clients (created_by);

-- An authorization code; valid once, for a minute, and only with the verifier of its PKCE challenge. Times in ms.
CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  code_challenge TEXT NOT NULL, -- S256
  scopes TEXT NOT NULL, -- separated by spaces
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_codes_of_client ON oauth_codes (client_id);
CREATE INDEX oauth_codes_of_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);

-- An access token with the refresh token issued with it. The rows of one consent share a grant; deleting them ends it.
-- Times in ms.
CREATE TABLE oauth_tokens (
  access_hash TEXT PRIMARY KEY, -- SHA-256 in hex
  refresh_hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  grant_id TEXT NOT NULL, -- hash of the code that started the grant: a replay ends all of its tokens
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL, -- of the grant, separated by spaces
  access_scopes TEXT NOT NULL, -- of the access token: all of `scopes`, or fewer
  access_expires_at INTEGER NOT NULL,
  refresh_expires_at INTEGER NOT NULL,
  refresh_used_at INTEGER, -- the access token ends then too; the row stays, so that a replay is noticed
  granted_at INTEGER NOT NULL, -- when the user consented: the grant ends a year later
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_of_client ON oauth_tokens (client_id);
CREATE INDEX oauth_tokens_of_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens (refresh_expires_at);

-- 3 · SLOs ----------------------------------------------------------------------------------------------------------

-- A metrics server of an organization; at most one is the default. Deleted by request, if no SLO reads it. Times in ms.
CREATE TABLE data_sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  api_url TEXT NOT NULL, -- base URL, without /api/v1
  sealed_auth TEXT, -- JSON credentials, encrypted (src/db/sealing/seal.ts)
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  last_check_at INTEGER,
  last_error TEXT, -- NULL: the last check succeeded
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;

CREATE UNIQUE INDEX one_default_source ON data_sources (organization_id) WHERE is_default = 1;

-- An SLO. A deleted one stays with active = 0 and can be restored, up to QUOTA_SLOS of them; older ones are deleted
-- hourly. Times in ms.
CREATE TABLE slos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id INTEGER NOT NULL,
  source_id INTEGER REFERENCES data_sources (id), -- NULL: the organization's default source
  paused_at INTEGER, -- not evaluated since; NULL: it is evaluated
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  target REAL NOT NULL, -- percent
  -- whole hours, days or weeks, or a calendar period: see src/slos/arithmetic/windows.ts
  time_window TEXT NOT NULL CHECK (
    time_window = 'week' OR time_window = 'month' OR time_window = 'quarter' OR time_window = 'year'
    OR time_window GLOB '[1-9]*[hdw]' AND substr(time_window, 1, length(time_window) - 1) NOT GLOB '*[^0-9]*'
    AND CAST(time_window AS INTEGER) <= 366
  ),
  time_zone TEXT CHECK ((time_zone IS NULL) = (time_window GLOB '[1-9]*')), -- IANA name, of a calendar period only
  metric_type TEXT NOT NULL CHECK (metric_type = 'availability' OR metric_type = 'latency' OR metric_type = 'throughput'),
  metric_query TEXT, -- NULL if a pair of queries is enough
  good_query TEXT,
  bad_query TEXT,
  total_query TEXT,
  threshold REAL, -- in the unit of metric_query
  threshold_op TEXT CHECK (threshold_op = 'lte' OR threshold_op = 'lt' OR threshold_op = 'gte' OR threshold_op = 'gt'),
  window_method TEXT NOT NULL CHECK (window_method = 'auto' OR window_method = 'widen' OR window_method = 'mean'),
  query_unit TEXT NOT NULL CHECK (query_unit = 'auto' OR query_unit = 'ratio' OR query_unit = 'percent'),
  inferred_unit TEXT CHECK (inferred_unit IN ('ratio', 'percent')), -- unit inferred for 'auto'; NULL until measured
  active INTEGER NOT NULL CHECK (active IN (0, 1)), -- 0: deleted, and can be restored
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  labels TEXT NOT NULL DEFAULT '{}', -- JSON object of strings
  revision INTEGER NOT NULL DEFAULT 1, -- number of its definition: see slo_revisions
  burn_rate_tiers TEXT, -- JSON array: see src/slos/arithmetic/burn-rates.ts; NULL: the defaults of its window
  budget_thresholds TEXT, -- JSON array of percent remaining; NULL: the defaults
  runbook_url TEXT NOT NULL DEFAULT '', -- empty: none
  owner TEXT NOT NULL DEFAULT '', -- who is asked; empty: nobody is named
  budget_policy TEXT NOT NULL DEFAULT '[]', -- JSON array: see src/slos/arithmetic/budget-policy.ts
  service_hours TEXT, -- JSON: see src/slos/corrections/service-hours.ts; NULL: it counts at all times
  redefined_at INTEGER, -- last edit that decides alerts; NULL: none so far
  resumed_at INTEGER, -- last time it was resumed or restored; NULL: never
  composite TEXT, -- JSON: see src/slos/arithmetic/composite.ts; NULL: it is measured by queries
  FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id)
) STRICT;

CREATE INDEX slos_listed ON slos (organization_id, active, created_at DESC, id DESC);
CREATE INDEX slos_active ON slos (organization_id, id, revision, paused_at) WHERE active = 1; -- a row may be long: its end is read page by page
CREATE INDEX slos_of_team ON slos (organization_id, team_id);
CREATE INDEX slos_of_source ON slos (source_id);
CREATE INDEX slos_composite ON slos (organization_id, id) WHERE composite IS NOT NULL;

-- A definition by which an SLO was measured. An edited query starts a new revision, with separate buckets; the latest
-- 100 of an SLO are kept. Times in ms.
CREATE TABLE slo_revisions (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL, -- from 1
  definition TEXT NOT NULL, -- JSON: the queries, threshold, threshold_op, window_method, query_unit, source_id
  created_at INTEGER NOT NULL,
  PRIMARY KEY (slo_id, revision)
) STRICT, WITHOUT ROWID;

-- A change of an SLO and its author, written with it; the latest 100 of an SLO are kept. Times in ms.
CREATE TABLE slo_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  event TEXT NOT NULL CHECK (event = 'created' OR event = 'changed' OR event = 'deleted' OR event = 'restored' OR event = 'paused' OR event = 'resumed'),
  revision INTEGER NOT NULL, -- valid from then on
  fields TEXT NOT NULL, -- JSON object: by column, [before, after]
  changed_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  changed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX slo_changes_of_slo ON slo_changes (slo_id, changed_at);
CREATE INDEX slo_changes_of_user ON slo_changes (changed_by) WHERE changed_by IS NOT NULL;

-- A deploy, change or note, drawn on the charts of the SLOs that have all of its labels. Deleted by request, or after
-- RETENTION_DAYS. Times in ms.
CREATE TABLE annotations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind = 'deploy' OR kind = 'change' OR kind = 'note'),
  labels TEXT NOT NULL, -- JSON object of strings, at least one; a service is the label of that name
  version TEXT NOT NULL, -- empty: none
  url TEXT NOT NULL, -- http or https; empty: none
  text TEXT NOT NULL, -- empty: none
  at INTEGER NOT NULL,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX annotations_of_organization ON annotations (organization_id, at);
CREATE INDEX annotations_of_creator ON annotations (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX annotations_by_time ON annotations (at);

-- 4 · Measurements --------------------------------------------------------------------------------------------------
-- The ledger (buckets, checkpoints) and the results of evaluations. The evaluator writes them, unless noted otherwise,
-- in one transaction for each chunk of SLOs. Rows of an SLO are deleted with it.

-- The ledger: what an SLO measured in a minute, hour or day of UTC. A bucket that is measured again is replaced. Minutes
-- are kept for 74 hours, hours for 35 days, days for RETENTION_DAYS. Buckets of one SLO are stored next to each other; a
-- column for the organization would double the key. Times in s.
CREATE TABLE buckets (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  resolution INTEGER NOT NULL CHECK (resolution = 60 OR resolution = 3600 OR resolution = 86400), -- seconds
  start INTEGER NOT NULL CHECK (start % resolution = 0), -- Unix seconds
  good REAL NOT NULL, -- events, or covered seconds times value
  total REAL NOT NULL, -- events, or covered seconds
  covered_seconds INTEGER NOT NULL, -- 0: the source was queried and had no data
  lead_good REAL NOT NULL, -- part of good and total between the last sample before the bucket and its first sample
  lead_total REAL NOT NULL,
  PRIMARY KEY (slo_id, revision, resolution, start)
) STRICT, WITHOUT ROWID;

-- The rolling window of an SLO whose queries count events: counts from the source over the window that ended at end_at,
-- and counts that have left that window since. Counts added since are in its minute buckets. Times in s.
CREATE TABLE checkpoints (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  origin TEXT NOT NULL, -- revision, source and window; if one changes, there is a new checkpoint
  end_at INTEGER NOT NULL, -- Unix seconds, a whole minute
  counted REAL NOT NULL, -- events over the window
  total REAL NOT NULL,
  left_until INTEGER NOT NULL, -- Unix seconds: start of the window; counts before it are subtracted
  left_counted REAL NOT NULL,
  left_total REAL NOT NULL,
  invalidated_by TEXT -- why the source is queried again; NULL: the checkpoint is valid
) STRICT;

-- The backfill of a revision: its history, as far as the source reaches. Written when an SLO is created or resumed, when
-- its query changes, and by request. Times in ms; ends_at in s.
CREATE TABLE backfills (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status = 'waiting' OR status = 'running' OR status = 'done' OR status = 'cancelled' OR status = 'failed'),
  ends_at INTEGER NOT NULL, -- Unix seconds: end of the history that is queried
  chunks INTEGER NOT NULL,
  chunks_done INTEGER NOT NULL,
  buckets INTEGER NOT NULL, -- written so far
  error TEXT,
  is_past_known INTEGER NOT NULL CHECK (is_past_known IN (0, 1)), -- 1: only fills a gap, and brings no earlier first sample
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX backfills_to_do ON backfills (status, created_at) WHERE status IN ('waiting', 'running');
CREATE INDEX backfills_of_organization ON backfills (organization_id);

-- The current state of an SLO, replaced by each evaluation. Budgets and values are those of measured_at, however old
-- that is. Times in ms; state_since in s.
CREATE TABLE slo_states (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status = 'healthy' OR status = 'warning' OR status = 'critical' OR status = 'unknown'),
  reason TEXT, -- why the status is unknown
  message TEXT,
  evaluated_at INTEGER NOT NULL, -- when an evaluation was last tried
  measured_at INTEGER, -- end of the windows of the values below; NULL: no value yet
  current_value REAL, -- percent, over the current window
  own_value REAL, -- percent, over the SLO's own window
  budget_used REAL, -- percent
  window_share REAL, -- 0..1, share of the SLO's own window since its first sample; NULL: not known
  first_sample_at INTEGER, -- of this revision, in the ledger
  good_events REAL, -- over the SLO's own window
  total_events REAL,
  current_coverage REAL, -- 0..1
  own_coverage REAL,
  running_seconds REAL NOT NULL DEFAULT 0, -- that the checks since measured_at cover, where the values above include them
  running_good REAL NOT NULL DEFAULT 0,
  running_total REAL NOT NULL DEFAULT 0,
  burn_rates TEXT NOT NULL, -- JSON array: see src/slos/arithmetic/burn-rates.ts
  burn_rate_now REAL, -- over the last 5 minutes, or two intervals of the samples
  state TEXT NOT NULL DEFAULT 'measuring' CHECK (state = 'down' OR state = 'burning_fast' OR state = 'burning' OR state = 'recovering' OR state = 'maintenance' OR state = 'spent' OR state = 'unknown' OR state = 'measuring' OR state = 'ok'),
  state_since INTEGER, -- Unix seconds
  state_reason TEXT -- of down: the error of the last check; of maintenance: until when, ISO 8601; of unknown: why
) STRICT;

CREATE INDEX slo_states_of_organization ON slo_states (organization_id);

-- An evaluation of an SLO; after two days one row for each hour, after 35 days one for each day. Deleted after
-- RETENTION_DAYS. Times in s.
CREATE TABLE evaluations (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  at INTEGER NOT NULL, -- Unix seconds: end of its windows
  revision INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status = 'healthy' OR status = 'warning' OR status = 'critical' OR status = 'unknown'),
  reason TEXT,
  current_value REAL,
  own_value REAL,
  budget_used REAL,
  window_share REAL, -- share of the window since the first sample; NULL: not known
  burn_rates TEXT NOT NULL, -- JSON: [long seconds, short seconds, long rate, short rate] of each tier
  resolution INTEGER NOT NULL CHECK (resolution = 0 OR resolution = 3600 OR resolution = 86400), -- seconds; 0: one evaluation
  rolled_up INTEGER NOT NULL, -- number of evaluations in this row; values are those of the last
  worst_status TEXT NOT NULL CHECK (worst_status = 'healthy' OR worst_status = 'warning' OR worst_status = 'critical' OR worst_status = 'unknown'),
  lowest_value REAL, -- lowest current_value
  message TEXT, -- why nothing, or only a part, was measured
  duration_ms INTEGER, -- duration of the evaluation of all SLOs that shared its queries
  PRIMARY KEY (slo_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX evaluations_by_age ON evaluations (resolution, at);

-- A calendar period of an SLO that has ended, with the figures and the definition that held at its end. Changed only
-- when somebody has it computed again with the present corrections. Times in ms; starts_at, ends_at in s.
CREATE TABLE slo_periods (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  ends_at INTEGER NOT NULL, -- Unix seconds
  starts_at INTEGER NOT NULL, -- Unix seconds
  time_window TEXT NOT NULL,
  time_zone TEXT NOT NULL, -- IANA name
  target REAL NOT NULL, -- percent
  revision INTEGER NOT NULL, -- number of its definition: see slo_revisions
  sli REAL, -- percent; NULL: not known, for `note`
  good_events INTEGER, -- NULL: it counts time, or nothing is known
  total_events INTEGER,
  counted_good REAL, -- events, or seconds, of which the SLI is; NULL: not known
  counted_total REAL,
  excluded_good REAL NOT NULL DEFAULT 0, -- events, or seconds, that corrections leave out of it
  excluded_total REAL NOT NULL DEFAULT 0,
  excluded_seconds INTEGER NOT NULL DEFAULT 0,
  note TEXT, -- reason why the SLI is not known, or not of the whole period; NULL: it is
  frozen_at INTEGER NOT NULL,
  recomputed_at INTEGER, -- when it was last computed again; NULL: never
  PRIMARY KEY (slo_id, ends_at, time_window, time_zone)
) STRICT, WITHOUT ROWID;

-- A time that counts neither good nor bad: once, from starts_at to ends_at, or repeated by a rule. Written and deleted
-- by request; one without a rule is deleted RETENTION_DAYS after its end. Times in ms; starts_at, ends_at in s.
CREATE TABLE corrections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_ids TEXT, -- JSON array of ids; it covers the SLOs of the first of these three that is not NULL
  team_id INTEGER,
  labels TEXT, -- JSON object of strings, all of which an SLO must have
  starts_at INTEGER NOT NULL, -- Unix seconds; of a rule: the first
  ends_at INTEGER, -- Unix seconds; NULL: there is a rule
  rrule TEXT, -- see src/slos/corrections/recurrence.ts
  duration_seconds INTEGER,
  time_zone TEXT, -- IANA name
  category TEXT NOT NULL CHECK (category = 'planned_maintenance' OR category = 'outside_service_hours' OR category = 'incident_elsewhere' OR category = 'bad_data' OR category = 'other'),
  text TEXT NOT NULL, -- empty: none
  silence_id INTEGER REFERENCES silences (id) ON DELETE SET NULL, -- made along with it
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((slo_ids IS NOT NULL) + (team_id IS NOT NULL) + (labels IS NOT NULL) = 1),
  CHECK ((ends_at IS NULL) = (rrule IS NOT NULL)),
  CHECK ((rrule IS NULL) = (duration_seconds IS NULL) AND (rrule IS NULL) = (time_zone IS NULL))
) STRICT;

CREATE INDEX corrections_of_organization ON corrections (organization_id, id DESC);
CREATE INDEX corrections_of_silence ON corrections (silence_id) WHERE silence_id IS NOT NULL;
CREATE INDEX corrections_of_creator ON corrections (created_by) WHERE created_by IS NOT NULL;

-- The secret in the address /calendar/<secret>.ics of an organization's corrections; a new one replaces it. Written and
-- deleted by request. Times in ms.
CREATE TABLE calendar_feeds (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE, -- SHA-256, in hex
  created_at INTEGER NOT NULL
) STRICT;

-- The rules by which buckets of an SLO are excluded now, from its corrections and its service hours. No row: none. Times
-- in ms.
CREATE TABLE slo_exclusions (
  slo_id INTEGER PRIMARY KEY REFERENCES slos (id) ON DELETE CASCADE,
  rules TEXT NOT NULL, -- JSON array: see src/slos/corrections/rules.ts
  applied_at INTEGER NOT NULL
) STRICT;

-- A bucket as it was measured, of which a part or all is excluded. `buckets` has it without that part; where that is no
-- longer kept, the row stays here as long as the rule does. Deleted after RETENTION_DAYS. Times in s.
CREATE TABLE excluded_buckets (
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  resolution INTEGER NOT NULL CHECK (resolution = 60 OR resolution = 3600 OR resolution = 86400), -- seconds
  start INTEGER NOT NULL CHECK (start % resolution = 0), -- Unix seconds
  good REAL NOT NULL, -- as in buckets
  total REAL NOT NULL,
  covered_seconds INTEGER NOT NULL,
  lead_good REAL NOT NULL,
  lead_total REAL NOT NULL,
  excluded_good REAL NOT NULL, -- part of good and total that does not count
  excluded_total REAL NOT NULL,
  excluded_seconds INTEGER NOT NULL,
  is_finest INTEGER NOT NULL CHECK (is_finest IN (0, 1)), -- 0: shorter buckets have what it excludes
  is_estimated INTEGER NOT NULL CHECK (is_estimated IN (0, 1)), -- 1: the share of its time, because shorter buckets are not known
  PRIMARY KEY (slo_id, revision, resolution, start)
) STRICT, WITHOUT ROWID;

-- 5 · Alerts and notifications --------------------------------------------------------------------------------------

-- An alert of an SLO, or of nines itself, from firing until resolved; written with the evaluation. Rows without ended_at
-- are the current alert states. Ended ones are deleted after RETENTION_DAYS, or beyond QUOTA_HISTORY_ROWS. Times in s.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER REFERENCES slos (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- down, status, budget:25, burn_rate:3600:300 (long and short window in seconds), condition:disk_full, condition:certificate:FINGERPRINT
  severity TEXT NOT NULL CHECK (severity = 'warning' OR severity = 'critical' OR severity = 'page' OR severity = 'ticket'),
  began_at INTEGER NOT NULL, -- Unix seconds: end of the windows for which it fired
  ended_at INTEGER, -- Unix seconds; NULL: firing
  reason TEXT, -- for down: why the last run of the probe failed
  peak_burn_rate REAL, -- for a tier: highest burn rate of its long window while firing
  incident_id INTEGER REFERENCES incidents (id) ON DELETE SET NULL, -- open while the alert fired
  acknowledged_at INTEGER, -- Unix seconds; NULL: not acknowledged
  acknowledged_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  acknowledged_by_name TEXT, -- the name at that time, kept in the history
  acknowledgement_note TEXT, -- empty: none
  CHECK ((acknowledged_at IS NULL) = (acknowledged_by_name IS NULL)),
  CHECK ((acknowledged_at IS NULL) = (acknowledgement_note IS NULL))
) STRICT;

CREATE UNIQUE INDEX one_open_alert ON alerts (slo_id, name) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX one_open_condition ON alerts (organization_id, name) WHERE ended_at IS NULL AND slo_id IS NULL;
CREATE INDEX alerts_of_slo ON alerts (slo_id, name, ended_at);
CREATE INDEX alerts_listed ON alerts (organization_id, id DESC, slo_id, severity, began_at, ended_at);
CREATE INDEX alerts_open ON alerts (organization_id, id DESC) WHERE ended_at IS NULL;
CREATE INDEX alerts_of_incident ON alerts (incident_id) WHERE incident_id IS NOT NULL;
CREATE INDEX alerts_by_end ON alerts (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX alerts_of_acknowledger ON alerts (acknowledged_by) WHERE acknowledged_by IS NOT NULL;

-- An incident of an SLO, from the alert that confirms it until 15 minutes after the last. At most one is open for each
-- SLO. Closed ones are deleted after RETENTION_DAYS, or beyond QUOTA_HISTORY_ROWS. Times in s.
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  severity TEXT NOT NULL CHECK (severity = 'warning' OR severity = 'critical'), -- the highest so far
  state TEXT NOT NULL CHECK (state = 'down' OR state = 'burning_fast' OR state = 'burning' OR state = 'recovering' OR state = 'unknown' OR state = 'closed'),
  began_at INTEGER NOT NULL, -- Unix seconds: first failing minute or check
  opened_at INTEGER NOT NULL, -- when an alert confirmed it
  since INTEGER NOT NULL, -- began_at, or the begin of the last relapse
  recovered_at INTEGER, -- Unix seconds; NULL: still failing
  closed_at INTEGER, -- Unix seconds; NULL: open
  close_reason TEXT CHECK (close_reason = 'recovered' OR close_reason = 'by_hand' OR close_reason = 'not_evaluated'),
  closed_by_name TEXT, -- for by_hand: the name at that time
  relapses INTEGER NOT NULL,
  reason TEXT, -- error of the first failed check; NULL: not of a check
  usual_events REAL, -- events a minute over the hour before; NULL: time is counted, or not known
  peak_burn_rate REAL,
  cause TEXT, -- JSON: label value that fails most, and its shares; NULL: not known
  acknowledged_at INTEGER, -- Unix seconds; NULL: not acknowledged
  acknowledged_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  acknowledged_by_name TEXT, -- the name at that time, kept in the history
  acknowledgement_note TEXT, -- empty: none
  CHECK ((acknowledged_at IS NULL) = (acknowledged_by_name IS NULL)),
  CHECK ((closed_at IS NULL) = (close_reason IS NULL)),
  CHECK ((closed_at IS NULL) = (state <> 'closed'))
) STRICT;

CREATE UNIQUE INDEX one_open_incident ON incidents (slo_id) WHERE closed_at IS NULL;
CREATE INDEX incidents_listed ON incidents (organization_id, id DESC, slo_id, severity, began_at, closed_at);
CREATE INDEX incidents_open ON incidents (organization_id, id DESC) WHERE closed_at IS NULL;
CREATE INDEX incidents_of_slo ON incidents (slo_id, id DESC);
CREATE INDEX incidents_by_end ON incidents (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX incidents_of_acknowledger ON incidents (acknowledged_by) WHERE acknowledged_by IS NOT NULL;

-- An event of an incident between its start and its end. Deleted with the incident. Times in s.
CREATE TABLE incident_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
  event TEXT NOT NULL CHECK (event = 'rose' OR event = 'recovered' OR event = 'again' OR event = 'acknowledged' OR event = 'withdrawn'),
  at INTEGER NOT NULL, -- Unix seconds
  user_name TEXT, -- at that time; NULL: nobody did it
  note TEXT -- of an acknowledgement; empty: none
) STRICT;

CREATE INDEX incident_events_of ON incident_events (incident_id, id);

-- A note that somebody wrote into an incident. Deleted with the incident. Times in ms.
CREATE TABLE incident_notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  user_name TEXT NOT NULL, -- at that time
  note TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX incident_notes_of ON incident_notes (incident_id, id);
CREATE INDEX incident_notes_of_user ON incident_notes (user_id) WHERE user_id IS NOT NULL;

-- The account of an incident that people write; one whose text is empty was deleted. Times in ms.
CREATE TABLE incident_accounts (
  incident_id INTEGER PRIMARY KEY REFERENCES incidents (id) ON DELETE CASCADE,
  text TEXT NOT NULL, -- Markdown
  url TEXT NOT NULL, -- http or https; empty: none
  version INTEGER NOT NULL, -- grows with each change
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL, -- who changed it last
  user_name TEXT NOT NULL, -- at that time
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX incident_accounts_of_user ON incident_accounts (user_id) WHERE user_id IS NOT NULL;

-- A receiver of notifications. A row may be deleted at any time: notifications sent through it keep its id. Times in ms.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  channel_type TEXT NOT NULL, -- a key of src/notifications/channels/index.ts
  sealed_configuration TEXT NOT NULL, -- JSON, encrypted (src/db/sealing/seal.ts)
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)), -- 1: notified of all SLOs, without rules
  max_retries INTEGER NOT NULL,
  failures INTEGER NOT NULL, -- failed attempts since the last one that did not fail
  failing_since INTEGER, -- NULL: the last attempt did not fail
  last_error TEXT,
  last_success_at INTEGER,
  paused_until INTEGER, -- the receiver accepts nothing before
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX channels_of_organization ON channels (organization_id);
CREATE INDEX channels_by_default ON channels (organization_id) WHERE is_default = 1;

-- Consent of a mail address outside the organization that a channel names and that would be mailed through SMTP_URL. No
-- row: no request was sent to it. Never deleted: a refusal holds. Times in ms.
CREATE TABLE mail_recipients (
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  address_key TEXT NOT NULL, -- in lower case
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'confirmed' OR status = 'declined'),
  token TEXT NOT NULL UNIQUE, -- for the links in their mails; valid only for changing this status
  request_count INTEGER NOT NULL, -- number of mails with the request
  requested_at INTEGER, -- the last such mail; NULL: none
  PRIMARY KEY (organization_id, address_key)
) STRICT, WITHOUT ROWID;

-- A notification rule: the alerts of an SLO that are notified, by which channel and with which templates. Deleted by
-- request, or with its channel or SLO. Times in ms.
CREATE TABLE notification_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER REFERENCES slos (id) ON DELETE CASCADE, -- NULL here with a selector; else NULL here, in alerts and in notifications: nines itself
  selector TEXT, -- JSON: the SLOs that it selects, in the form of src/notifications/rules/selectors.ts; NULL: slo_id, or nines itself
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  alert_type TEXT NOT NULL, -- as spelled by its author
  cause TEXT NOT NULL, -- condition that alert_type selects: see src/notifications/causes.ts
  severity TEXT CHECK (severity IN ('page', 'ticket')), -- for burn_rate_too_fast, only these tiers; NULL: all
  priority TEXT NOT NULL CHECK (priority = 'auto' OR priority = 'low' OR priority = 'medium' OR priority = 'high' OR priority = 'critical'), -- auto: by the alert's severity
  subject TEXT, -- a template; NULL: the default one
  message TEXT,
  max_retries INTEGER NOT NULL,
  min_interval_seconds INTEGER NOT NULL, -- between two alerts of an SLO by this rule
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (slo_id, channel_id, cause),
  CHECK (slo_id IS NULL OR selector IS NULL)
) STRICT;

CREATE INDEX notification_rules_listed ON notification_rules (organization_id, id);
CREATE INDEX notification_rules_of_channel ON notification_rules (channel_id);
CREATE UNIQUE INDEX one_appliance_rule ON notification_rules (channel_id, cause) WHERE slo_id IS NULL AND selector IS NULL;
CREATE UNIQUE INDEX one_selector_rule ON notification_rules (organization_id, channel_id, cause, selector) WHERE selector IS NOT NULL;

-- A silence: until its end, alerts of one SLO, or of all with the labels, are not notified; recoveries are. Deleted
-- RETENTION_DAYS after its end, or beyond QUOTA_HISTORY_ROWS. Times in ms.
CREATE TABLE silences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER REFERENCES slos (id) ON DELETE CASCADE,
  labels TEXT, -- JSON object of strings; NULL: the silence is for slo_id
  starts_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  comment TEXT NOT NULL,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  CHECK ((slo_id IS NULL) <> (labels IS NULL))
) STRICT;

CREATE INDEX silences_of_organization ON silences (organization_id, until);
CREATE INDEX silences_of_slo ON silences (slo_id) WHERE slo_id IS NOT NULL;
CREATE INDEX silences_of_creator ON silences (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX silences_by_end ON silences (until);

-- The outbox, and the history of what was sent; written in the transaction of its cause, updated by the delivery.
-- Deleted after RETENTION_DAYS, or beyond QUOTA_HISTORY_ROWS. Times in ms.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER REFERENCES slos (id) ON DELETE CASCADE,
  rule_id INTEGER, -- the three ids stay when the rows they name are deleted
  channel_id INTEGER NOT NULL,
  alert_id INTEGER,
  incident_id INTEGER, -- stays when the incident is deleted
  incident_event TEXT CHECK (incident_event = 'opened' OR incident_event = 'rose' OR incident_event = 'again' OR incident_event = 'flapping' OR incident_event = 'recovered'),
  relapse INTEGER, -- number of relapses that the incident had had
  channel_type TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event = 'alert' OR event = 'acknowledgement' OR event = 'recovery' OR event = 'message'),
  alert_type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'sending' OR status = 'sent' OR status = 'delivered' OR status = 'failed' OR status = 'throttled'),
  priority TEXT NOT NULL CHECK (priority = 'low' OR priority = 'medium' OR priority = 'high' OR priority = 'critical'),
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  metadata TEXT NOT NULL, -- JSON: template data, see src/notifications/notification-data.ts
  content_hash TEXT NOT NULL, -- in hex; equal for duplicates
  idempotency_key TEXT NOT NULL UNIQUE, -- the same for every attempt
  retry_count INTEGER NOT NULL,
  max_retries INTEGER NOT NULL,
  error_message TEXT NOT NULL, -- of the last attempt; empty: none
  next_attempt_at INTEGER NOT NULL,
  leased_until INTEGER, -- end of the claim while `sending`
  sealed_configuration TEXT, -- for an alert that opened an incident: configuration with which its recovery closes it
  sent_at INTEGER,
  delivered_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX notifications_queued ON notifications (channel_id, id) WHERE status IN ('pending', 'sending');
CREATE INDEX notifications_listed ON notifications (organization_id, id DESC, slo_id, channel_id, alert_type, status);
CREATE INDEX notifications_counted ON notifications (organization_id, status, channel_type, sent_at, created_at);
CREATE INDEX notifications_of_slo ON notifications (slo_id, id DESC);
CREATE INDEX notifications_of_alert ON notifications (alert_id) WHERE alert_id IS NOT NULL;
CREATE INDEX notifications_of_incident ON notifications (incident_id) WHERE incident_id IS NOT NULL;
CREATE INDEX notifications_of_rule ON notifications (rule_id, created_at) WHERE rule_id IS NOT NULL;
CREATE INDEX notifications_by_content ON notifications (content_hash, created_at);
CREATE INDEX notifications_by_time ON notifications (created_at);

-- An incident in a notification that lists several: it counts as notified, as by a notification of its own.
CREATE TABLE notification_incidents (
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  incident_id INTEGER NOT NULL, -- the ids stay when the rows they name are deleted
  alert_id INTEGER NOT NULL,
  rule_id INTEGER,
  relapse INTEGER NOT NULL, -- number of relapses that the incident had had
  kind TEXT NOT NULL CHECK (kind = 'critical' OR kind = 'warning' OR kind = 'recovered' OR kind = 'not_known'), -- of the list
  PRIMARY KEY (notification_id, incident_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_incidents_of ON notification_incidents (incident_id);

-- An attempt to deliver a notification, and the receiver's response. Deleted with the notification. Times in ms.
CREATE TABLE notification_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  attempted_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome = 'sent' OR outcome = 'delivered' OR outcome = 'retry' OR outcome = 'failed'),
  status_code INTEGER, -- of HTTP or SMTP; NULL: no response
  error TEXT,
  retry_at INTEGER -- time of the next attempt
) STRICT;

CREATE INDEX attempts_of_notification ON notification_attempts (notification_id, id);

-- 6 · Collection ----------------------------------------------------------------------------------------------------
-- What the embedded source collects: scraped, probed or reported. The samples are in samples.db. Written and deleted by
-- request, unless noted otherwise; a new organization has a target for the metrics of nines itself.

-- A scrape target: an address with metrics that is read at an interval. Times in ms.
CREATE TABLE scrape_targets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- the label job
  url TEXT NOT NULL, -- http, https, or nines:… for metrics exposed inside the process
  interval_seconds INTEGER NOT NULL,
  timeout_seconds REAL NOT NULL,
  labels TEXT NOT NULL, -- JSON object of strings, added to every series
  honor_labels INTEGER NOT NULL CHECK (honor_labels IN (0, 1)), -- 1: if two labels have the same name, the target's own stays
  sealed_auth TEXT, -- JSON credentials, encrypted (src/db/sealing/seal.ts)
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;

-- A probe: an address that is checked from outside at an interval. Times in ms.
CREATE TABLE probes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- the label job
  type TEXT NOT NULL CHECK (type = 'http' OR type = 'tcp' OR type = 'dns' OR type = 'icmp'),
  target TEXT NOT NULL, -- the label instance: a URL, host:port, a name or a host
  interval_seconds INTEGER NOT NULL,
  timeout_seconds REAL NOT NULL,
  labels TEXT NOT NULL, -- JSON object of strings, added to every series
  confirm INTEGER NOT NULL CHECK (confirm IN (0, 1)), -- 1: a failed run is tried again within seconds
  down_after INTEGER NOT NULL, -- failed runs in a row that mean down, without confirm
  sealed_settings TEXT NOT NULL, -- JSON of its type, encrypted (src/db/sealing/seal.ts): headers may be secret
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;

-- A job that reports to a secret address. due_at to starts are the state of its runs (src/embedded/heartbeats/runs.ts).
-- Times in ms.
CREATE TABLE heartbeats (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- the label job
  slug TEXT NOT NULL, -- the label instance, and the last part of /ping/<key>/<slug>
  period_seconds INTEGER, -- NULL: cron and time_zone say when it is due
  cron TEXT,
  time_zone TEXT,
  grace_seconds INTEGER NOT NULL,
  labels TEXT NOT NULL, -- JSON object of strings, added to every series
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  token_hash TEXT NOT NULL UNIQUE, -- SHA-256 of the UUID of its address, in hex
  sealed_token TEXT NOT NULL, -- the UUID as JSON, encrypted (src/db/sealing/seal.ts): the page shows it again
  due_at INTEGER, -- of the run that is expected; NULL: nothing was reported yet
  runs INTEGER NOT NULL DEFAULT 0,
  good_runs INTEGER NOT NULL DEFAULT 0,
  last_outcome TEXT CHECK (last_outcome = 'good' OR last_outcome = 'failed' OR last_outcome = 'missed' OR last_outcome = 'unknown' OR last_outcome = 'late'),
  since INTEGER, -- when last_outcome became good, or stopped being so
  reason TEXT, -- of the last failed or missed run
  last_success_at INTEGER,
  last_duration_ms INTEGER,
  starts TEXT NOT NULL DEFAULT '{}', -- JSON: times of starts without an end, by the id of their run
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization_id, name),
  CHECK ((period_seconds IS NULL) = (cron IS NOT NULL AND time_zone IS NOT NULL))
) STRICT;

CREATE INDEX heartbeats_by_slug ON heartbeats (organization_id, slug);

-- A run of a heartbeat, or a report that is no run (outcome NULL): a log, or a report outside the schedule. The last 50
-- are kept. Times in ms.
CREATE TABLE heartbeat_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  heartbeat_id INTEGER NOT NULL REFERENCES heartbeats (id) ON DELETE CASCADE,
  at INTEGER NOT NULL, -- of the report; of the deadline where none came
  due_at INTEGER,
  outcome TEXT CHECK (outcome = 'good' OR outcome = 'failed' OR outcome = 'missed' OR outcome = 'unknown' OR outcome = 'late'),
  report TEXT CHECK (report = 'success' OR report = 'fail' OR report = 'log'), -- NULL: none came
  started_at INTEGER,
  duration_ms INTEGER,
  exit_code INTEGER,
  message TEXT -- what the job sent, at most 10 kB
) STRICT;

CREATE INDEX heartbeat_runs_of_heartbeat ON heartbeat_runs (heartbeat_id, id);

-- The key in an organization's addresses /ping/<key>/<slug>; a new one replaces it. Times in ms.
CREATE TABLE ping_keys (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL UNIQUE, -- SHA-256, in hex
  created_at INTEGER NOT NULL
) STRICT;

-- The certificate of the server of a probe, data source or channel, as last seen. One of the three ids is set; deleted
-- with that row, or when the server has none. Times in s.
CREATE TABLE certificates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  probe_id INTEGER UNIQUE REFERENCES probes (id) ON DELETE CASCADE,
  source_id INTEGER UNIQUE REFERENCES data_sources (id) ON DELETE CASCADE,
  channel_id INTEGER UNIQUE REFERENCES channels (id) ON DELETE CASCADE,
  server TEXT NOT NULL, -- host:port of the target, URL or configuration
  fingerprint TEXT NOT NULL, -- SHA-256, in hex
  issuer TEXT NOT NULL,
  names TEXT NOT NULL, -- JSON array: hosts it is for
  starts_at INTEGER NOT NULL, -- Unix seconds, of the certificate of the chain that expires first
  expires_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  previous_fingerprint TEXT, -- that the server had before; NULL: none was seen
  replaced_at INTEGER, -- when previous_fingerprint was replaced
  CHECK ((probe_id IS NOT NULL) + (source_id IS NOT NULL) + (channel_id IS NOT NULL) = 1)
) STRICT;

CREATE INDEX certificates_by_expiry ON certificates (expires_at);
CREATE INDEX certificates_of_organization ON certificates (organization_id);

-- 7 · Reports -------------------------------------------------------------------------------------------------------

-- A schedule of reports: one is made of each calendar period once it has ended, and sent through channels. Deleted by
-- request. Times in ms; made_until in s.
CREATE TABLE report_schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  interval TEXT NOT NULL CHECK (interval = 'week' OR interval = 'month' OR interval = 'quarter'),
  time_zone TEXT NOT NULL, -- IANA name
  selector TEXT NOT NULL, -- JSON: see src/notifications/rules/selectors.ts
  channel_ids TEXT NOT NULL, -- JSON array; ids of deleted channels stay and are skipped
  made_until INTEGER NOT NULL, -- Unix seconds: reports of periods that ended up to then exist, or are not made
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX report_schedules_of_organization ON report_schedules (organization_id);
CREATE INDEX report_schedules_of_creator ON report_schedules (created_by) WHERE created_by IS NOT NULL;

-- A report about a calendar period. Its data are not changed once it is made. Deleted by request; beyond QUOTA_REPORTS
-- the oldest of schedules. Times in ms; starts_at, ends_at in s.
CREATE TABLE reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  schedule_id INTEGER REFERENCES report_schedules (id) ON DELETE SET NULL, -- NULL: asked for, or its schedule is deleted
  name TEXT NOT NULL,
  interval TEXT NOT NULL CHECK (interval = 'week' OR interval = 'month' OR interval = 'quarter'),
  time_zone TEXT NOT NULL, -- IANA name
  selector TEXT NOT NULL, -- JSON, as that of a schedule
  starts_at INTEGER NOT NULL, -- Unix seconds
  ends_at INTEGER NOT NULL, -- Unix seconds
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'ready' OR status = 'failed'),
  attempts INTEGER NOT NULL, -- failed ones
  slo_count INTEGER, -- the counts are NULL until it is made
  met_count INTEGER,
  missed_count INTEGER,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  made_at INTEGER, -- NULL until it is made
  data TEXT, -- JSON: see src/reports/report.ts; the last column, since lists do not read it
  CHECK ((status = 'ready') = (data IS NOT NULL))
) STRICT;

CREATE INDEX reports_of_organization ON reports (organization_id, id DESC);
CREATE INDEX reports_pending ON reports (ends_at) WHERE status = 'pending';
CREATE UNIQUE INDEX one_report_of_period ON reports (schedule_id, ends_at) WHERE schedule_id IS NOT NULL;
CREATE INDEX reports_of_creator ON reports (created_by) WHERE created_by IS NOT NULL;

-- 8 · Queries and their cache ---------------------------------------------------------------------------------------

-- A query that is run at an interval for an SLO; its results are executions. Written and deleted by request. Times in
-- ms.
CREATE TABLE source_queries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  source_id INTEGER REFERENCES data_sources (id), -- NULL: the source of the SLO
  query_name TEXT NOT NULL,
  source_query TEXT NOT NULL,
  query_type TEXT NOT NULL CHECK (query_type = 'availability' OR query_type = 'latency' OR query_type = 'throughput' OR query_type = 'error_rate' OR query_type = 'custom' OR query_type = 'ratio'),
  query_hash TEXT NOT NULL, -- SHA-256 of the normalized expression, in hex
  metric_labels TEXT NOT NULL, -- JSON array of strings
  evaluation_interval_seconds INTEGER NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  next_run_at INTEGER NOT NULL,
  last_value REAL, -- of the newest execution with a value
  last_value_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX source_queries_listed ON source_queries (organization_id, slo_id, id);
CREATE INDEX source_queries_of_slo ON source_queries (slo_id);
CREATE INDEX source_queries_of_source ON source_queries (source_id);
CREATE INDEX source_queries_due ON source_queries (next_run_at) WHERE is_active = 1;

-- A query sent to a source for an SLO, and its outcome. Deleted after RETENTION_DAYS, beyond QUOTA_HISTORY_ROWS, or at
-- forget_at. Times in ms.
CREATE TABLE executions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  query_id INTEGER, -- the stored source query, if one was sent
  executed_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('success', 'error')),
  error TEXT,
  result_samples INTEGER NOT NULL,
  metadata TEXT NOT NULL, -- JSON: time_range, source_name, expression, window_method, part
  created_at INTEGER NOT NULL,
  forget_at INTEGER -- NULL: after RETENTION_DAYS. Of a stored query, all except the first of each hour are deleted sooner
) STRICT;

CREATE INDEX executions_of_slo ON executions (slo_id, id DESC);
CREATE INDEX executions_of_query ON executions (query_id, executed_at DESC) WHERE query_id IS NOT NULL;
CREATE INDEX executions_to_forget ON executions (forget_at) WHERE forget_at IS NOT NULL;
CREATE INDEX executions_by_time ON executions (executed_at);
CREATE INDEX executions_by_hand ON executions (organization_id, id) WHERE query_id IS NULL; -- for the quota of history, without stored queries

-- An entry of the cache of query results. An id is never used for other content: a replaced entry gets a new one.
-- Deleted at its expiry, or to make room. Times in ms.
CREATE TABLE cache_entries (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  query_hash TEXT NOT NULL, -- SHA-256 of the query, in hex
  query TEXT NOT NULL,
  slo_id INTEGER NOT NULL, -- as given; need not exist
  time_window TEXT NOT NULL,
  size_bytes INTEGER NOT NULL, -- of the result as JSON text
  cached_at INTEGER NOT NULL,
  expires_at INTEGER, -- NULL: never
  hit_count INTEGER NOT NULL,
  last_hit_at INTEGER,
  used INTEGER NOT NULL, -- higher for a later last use, over all organizations
  UNIQUE (organization_id, key)
) STRICT;

-- The result of a cache entry, separate from it so that counting a use does not touch a large row.
CREATE TABLE cache_results (
  entry_id INTEGER PRIMARY KEY REFERENCES cache_entries (id) ON DELETE CASCADE,
  is_gzip INTEGER NOT NULL CHECK (is_gzip IN (0, 1)),
  checksum TEXT NOT NULL, -- SHA-256 of the entry's fixed columns and of `result`, in hex
  result BLOB NOT NULL
) STRICT;

-- Hits of a key in an hour, as hours since 1970. Deleted after the retention in cache_config.
CREATE TABLE cache_hits (
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  hour INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  PRIMARY KEY (organization_id, hour, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX cache_hits_to_forget ON cache_hits (hour);

-- All lookups in the cache of an organization.
CREATE TABLE cache_counters (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  hits INTEGER NOT NULL,
  misses INTEGER NOT NULL,
  dropped INTEGER NOT NULL -- corrupt rows
) STRICT;

-- Settings of the cache: at most one row, written when somebody changes one. Durations in ms.
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
