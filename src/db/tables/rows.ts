import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from './tables.ts'

export type UserRow = Selectable<Tables['users']>
export type OrganizationRow = Selectable<Tables['organizations']>
export type TeamRow = Selectable<Tables['teams']>
export type InvitationRow = Selectable<Tables['invitations']>
export type DataSourceRow = Selectable<Tables['data_sources']>
export type SloRow = Selectable<Tables['slos']>
export type NewSlo = Insertable<Tables['slos']>
export type SloChanges = Updateable<Tables['slos']>
export type AnchorRow = Selectable<Tables['anchors']>
export type StateRow = Selectable<Tables['slo_states']>
export type BackfillRow = Selectable<Tables['backfills']>
export type SourceQueryRow = Selectable<Tables['source_queries']>
export type ExecutionRow = Selectable<Tables['executions']>
export type NewExecution = Insertable<Tables['executions']>
export type ChannelRow = Selectable<Tables['channels']>
export type RecipientRow = Selectable<Tables['mail_recipients']>
export type RuleRow = Selectable<Tables['notification_rules']>
export type AlertRow = Selectable<Tables['alerts']>
export type NotificationRow = Selectable<Tables['notifications']>
export type NewNotification = Insertable<Tables['notifications']>
export type AttemptRow = Selectable<Tables['notification_attempts']>
export type SilenceRow = Selectable<Tables['silences']>
export type ScrapeTargetRow = Selectable<Tables['scrape_targets']>
export type ProbeRow = Selectable<Tables['probes']>
