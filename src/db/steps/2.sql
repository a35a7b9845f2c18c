-- Version 2: API tokens, password resets, invitations, audit log, OAuth2.

-- Refresh tokens that were still good when their user was removed, kept until they would have expired: their holder is
-- told that the user is gone.
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

-- Team ids are never given again; until now there was only team 1.
ALTER TABLE organizations ADD COLUMN next_team_id INTEGER NOT NULL DEFAULT 2;

-- Bearer tokens for machines.
CREATE TABLE api_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who made it; it goes with them
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
  hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  expires_at INTEGER, -- NULL: never
  last_used_at INTEGER, -- written at most once a minute
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX api_tokens_of_organization ON api_tokens (organization_id);
CREATE INDEX api_tokens_of_user ON api_tokens (user_id);

-- Password resets that were asked for; good once, for an hour.
CREATE TABLE password_resets (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex of the UUID that was mailed
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE, -- NULL: mailed to nobody, so that all requests cost the same
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX password_resets_of_user ON password_resets (user_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

-- Invitations into an organization; good once, for seven days.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
  hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  invited_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER
) STRICT;

CREATE INDEX invitations_of_organization ON invitations (organization_id);
CREATE INDEX invitations_of_inviter ON invitations (invited_by);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
CREATE UNIQUE INDEX one_open_invitation ON invitations (organization_id, email_key) WHERE accepted_at IS NULL;

-- Who did what. Bounded by RETENTION_DAYS.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
  user_id INTEGER, -- kept when the user is gone
  email TEXT,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  details TEXT NOT NULL, -- JSON object
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_log_listed ON audit_log (organization_id, id DESC, event, outcome, user_id, created_at);
CREATE INDEX audit_log_by_time ON audit_log (created_at);

-- Applications that may act for a user after the user's consent (OAuth2).
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

-- Authorization codes; good once, for minutes, and only with the verifier of their PKCE challenge.
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

-- Access tokens and the refresh token that came with each; the rows of one consent share a grant, and end by going.
CREATE TABLE oauth_tokens (
  access_hash TEXT PRIMARY KEY, -- SHA-256 in hex
  refresh_hash TEXT NOT NULL UNIQUE, -- SHA-256 in hex
  grant_id TEXT NOT NULL, -- hash of the code it all began with: a replay ends every token of it
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL, -- of the grant, separated by spaces
  access_scopes TEXT NOT NULL, -- of the access token: these, or fewer
  access_expires_at INTEGER NOT NULL,
  refresh_expires_at INTEGER NOT NULL,
  refresh_used_at INTEGER, -- the access token ends with it; the row stays, so that a replay is noticed
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_of_client ON oauth_tokens (client_id);
CREATE INDEX oauth_tokens_of_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens (refresh_expires_at);
