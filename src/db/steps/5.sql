-- Alerts and notifications: channels, standing rules, alerts, the outbox with its log of attempts, silences.

ALTER TABLE slos ADD COLUMN burn_rate_tiers TEXT; -- JSON array: see src/slos/burn-rates.ts; NULL: the standard ones of its window
ALTER TABLE slos ADD COLUMN budget_thresholds TEXT; -- JSON array of percents remaining; NULL: the standard ones

-- Where notifications go. A row may be deleted at any time: what was sent through it keeps its number.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  channel_type TEXT NOT NULL, -- a key of src/notifications/channels/index.ts
  sealed_configuration TEXT NOT NULL, -- JSON, encrypted (src/db/seal.ts)
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  max_retries INTEGER NOT NULL,
  failures INTEGER NOT NULL, -- attempts that failed since the last that did not
  failing_since INTEGER, -- NULL: the last attempt did not fail
  last_error TEXT,
  last_success_at INTEGER,
  paused_until INTEGER, -- the receiver asked for no more before
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX channels_of_organization ON channels (organization_id);

-- Standing rules: what of an SLO is told through which channel, and in which words.
CREATE TABLE notification_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  alert_type TEXT NOT NULL, -- as its author spelled it
  cause TEXT NOT NULL, -- what that selects: see src/notifications/causes.ts
  severity TEXT CHECK (severity IN ('page', 'ticket')), -- of burn_rate_too_fast, only these tiers; NULL: all
  priority TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'critical')),
  subject TEXT, -- a template; NULL: the standard words
  message TEXT,
  max_retries INTEGER NOT NULL,
  min_interval_seconds INTEGER NOT NULL, -- between two alerts of this rule
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (slo_id, channel_id, cause)
) STRICT;

CREATE INDEX notification_rules_listed ON notification_rules (organization_id, id);
CREATE INDEX notification_rules_of_channel ON notification_rules (channel_id);

-- What has gone wrong with an SLO, from when it was seen to when it was over. The open ones are the alert states.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- status, budget:25, burn_rate:3600:300 (long and short window in seconds)
  severity TEXT NOT NULL CHECK (severity IN ('warning', 'critical', 'page', 'ticket')),
  began_at INTEGER NOT NULL, -- Unix seconds: the end of the windows in which it was seen
  ended_at INTEGER -- Unix seconds; NULL: it goes on
) STRICT;

CREATE UNIQUE INDEX one_open_alert ON alerts (slo_id, name) WHERE ended_at IS NULL;
CREATE INDEX alerts_of_slo ON alerts (slo_id, name, ended_at);
CREATE INDEX alerts_listed ON alerts (organization_id, id DESC);
CREATE INDEX alerts_open ON alerts (organization_id, id DESC) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_end ON alerts (ended_at) WHERE ended_at IS NOT NULL;

-- The outbox, and the history of what went through it. Bounded by RETENTION_DAYS.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER NOT NULL REFERENCES slos (id) ON DELETE CASCADE,
  rule_id INTEGER, -- these three stay when what they name is gone
  channel_id INTEGER NOT NULL,
  alert_id INTEGER,
  channel_type TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('alert', 'recovery', 'message')),
  alert_type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'sending', 'sent', 'delivered', 'failed', 'throttled')),
  priority TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'critical')),
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  metadata TEXT NOT NULL, -- JSON: the facts it tells of, see src/notifications/facts.ts
  content_hash TEXT NOT NULL, -- of what makes two of them duplicates, in hex
  idempotency_key TEXT NOT NULL UNIQUE, -- the same at every attempt
  retry_count INTEGER NOT NULL,
  max_retries INTEGER NOT NULL,
  error_message TEXT NOT NULL, -- of the last attempt; empty: none
  next_attempt_at INTEGER NOT NULL,
  leased_until INTEGER, -- of `sending`: after that, whoever took it is taken for dead
  sealed_configuration TEXT, -- of an alert that opened an incident: with what, for its recovery has to close the same
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
CREATE INDEX notifications_of_rule ON notifications (rule_id, created_at) WHERE rule_id IS NOT NULL;
CREATE INDEX notifications_by_content ON notifications (content_hash, created_at);
CREATE INDEX notifications_by_time ON notifications (created_at);

-- Every attempt to deliver a notification, and what the receiver said.
CREATE TABLE notification_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  attempted_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'delivered', 'retry', 'failed')),
  status_code INTEGER, -- of HTTP or SMTP; NULL: no answer
  error TEXT,
  retry_at INTEGER -- when it is tried again
) STRICT;

CREATE INDEX attempts_of_notification ON notification_attempts (notification_id, id);

-- Alerts of one SLO, or of all with the labels, are not told until then; recoveries are.
CREATE TABLE silences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slo_id INTEGER REFERENCES slos (id) ON DELETE CASCADE,
  labels TEXT, -- JSON object of strings; NULL: of the SLO
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
