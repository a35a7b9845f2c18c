-- Version 8: conditions of the appliance itself.

-- Rules, alerts and notifications of the appliance itself are of no SLO.
ALTER TABLE notification_rules ALTER COLUMN slo_id DROP NOT NULL;
ALTER TABLE alerts ALTER COLUMN slo_id DROP NOT NULL;
ALTER TABLE notifications ALTER COLUMN slo_id DROP NOT NULL;
CREATE UNIQUE INDEX one_appliance_rule ON notification_rules (channel_id, cause) WHERE slo_id IS NULL;
CREATE UNIQUE INDEX one_open_condition ON alerts (organization_id, name) WHERE ended_at IS NULL AND slo_id IS NULL;
