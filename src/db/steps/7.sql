-- Accounts, seals and mail recipients that withstand strangers.

-- Guessing: what a live session guesses counts against the session, and known networks are not locked out by others.
ALTER TABLE login_attempts ADD COLUMN session_id INTEGER;
CREATE INDEX login_attempts_by_session ON login_attempts (session_id, attempted_at) WHERE session_id IS NOT NULL;

-- Where accounts have signed in from of late: wrong guesses from elsewhere do not lock these out.
CREATE TABLE known_networks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network TEXT NOT NULL, -- an IPv4 address, or the /64 of an IPv6 one
  last_at INTEGER NOT NULL,
  UNIQUE (user_id, network)
) STRICT;

CREATE INDEX known_networks_by_time ON known_networks (last_at);
-- Sealed values are bound to their rows (src/db/seal-key.ts seals those there are anew), and their key can be rotated.
CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL,
  seal_key_id TEXT NOT NULL
) STRICT;

-- The audit log says through which credential somebody acted.
ALTER TABLE audit_log ADD COLUMN credential TEXT;
-- For quotas: invitations of the last hour, and executions by hand, of which those of stored queries are no part.
CREATE INDEX invitations_made ON audit_log (organization_id, created_at) WHERE event = 'invitation_created';
CREATE INDEX executions_by_hand ON executions (organization_id, id) WHERE query_id IS NULL;

-- Addresses are confirmed before they count, where mail can be sent; those of before are taken for confirmed.
ALTER TABLE users ADD COLUMN email_confirmed_at INTEGER;
UPDATE users SET email_confirmed_at = created_at;
ALTER TABLE invitations ADD COLUMN mailed_hash TEXT;
CREATE UNIQUE INDEX invitations_by_mailed_hash ON invitations (mailed_hash) WHERE mailed_hash IS NOT NULL;

-- Confirmations of addresses that were mailed; good once, for seven days.
CREATE TABLE email_confirmations (
  hash TEXT PRIMARY KEY, -- SHA-256 in hex
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE, -- NULL: mailed to nobody, so that all requests cost the same
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_confirmations_of_user ON email_confirmations (user_id);
CREATE INDEX email_confirmations_by_expiry ON email_confirmations (expires_at);
-- Addresses outside of an organization that its channels name, and that the instance's own mail server would mail: whether
-- they want it. No row: they have not been asked.
CREATE TABLE mail_recipients (
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  address_key TEXT NOT NULL, -- in lower case
  status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'declined')),
  token TEXT NOT NULL UNIQUE, -- of the links in their mails; good for nothing but this status
  asked_count INTEGER NOT NULL, -- mails that asked them
  asked_at INTEGER, -- the last of these; NULL: none
  PRIMARY KEY (organization_id, address_key)
) STRICT, WITHOUT ROWID;

-- Those that are mailed already are not asked: src/notifications/recipients writes them down, because configurations are sealed.
ALTER TABLE channels ADD COLUMN trusts_recipients INTEGER NOT NULL DEFAULT 0 CHECK (trusts_recipients IN (0, 1)); -- 1: from before recipients were asked
UPDATE channels SET trusts_recipients = 1 WHERE channel_type = 'email';
