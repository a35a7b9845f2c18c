-- Accounts, seals and mail recipients that withstand strangers.

-- Sealed values are bound to their rows (src/db/seal-key.ts seals those there are anew), and their key can be rotated.
CREATE TABLE instance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  instance_id TEXT NOT NULL,
  seal_key_id TEXT NOT NULL
) STRICT;

-- The audit log says through which credential somebody acted.
ALTER TABLE audit_log ADD COLUMN credential TEXT;
