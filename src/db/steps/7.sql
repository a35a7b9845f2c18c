-- Accounts, seals and mail recipients that withstand strangers.

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
