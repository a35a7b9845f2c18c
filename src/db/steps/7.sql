-- Accounts, seals and mail recipients that withstand strangers.

-- For quotas: invitations of the last hour, and executions by hand, of which those of stored queries are no part.
CREATE INDEX invitations_made ON audit_log (organization_id, created_at) WHERE event = 'invitation_created';
CREATE INDEX executions_by_hand ON executions (organization_id, id) WHERE query_id IS NULL;
