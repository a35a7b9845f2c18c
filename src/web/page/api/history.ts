import type { Schemas } from '../../../../dist/openapi.d.ts'

export type Timeline = Schemas['Timeline']

/** The fields of a list that comes in pages. */
export type Paged = { total: number; page: number; page_size: number; has_next: boolean }

/** `GET /notifications/alerts`, with `include=notifications`. */
export type Alerts = Schemas['AlertList']
export type Alert = Alerts['alerts'][number]
export type AlertNotification = NonNullable<Alert['notifications']>[number]

export type AlertTimeline = Schemas['AlertTimeline']
/** `GET /notifications/alerts/:id`, always with its notifications. */
export type OneAlert = Schemas['AlertAnswer']

/** `GET /incidents`, with `include=notifications` or `not_notified`. */
export type IncidentList = Schemas['IncidentList']
/** Incident of an SLO as listed under `/incidents`, with an id. (`Incident` of `types.ts` is a stretch of lost budget.) */
export type SloIncident = IncidentList['incidents'][number]
/** `GET /incidents/:id`. */
export type OneIncident = Schemas['IncidentAnswer']
/** `GET /incidents/:id/account`. */
export type IncidentAccount = Schemas['IncidentAccountAnswer']
export type SentNotification = OneIncident['data']['notifications'][number]

export type Alerting = Schemas['Alerting']
/** Settings of a burn-rate tier. */
export type TierRule = Pick<
  Alerting['burn_rate_tiers'][number],
  'severity' | 'long_window' | 'short_window' | 'factor' | 'min_events' | 'enabled'
>

export type Rules = Schemas['RuleList']
export type Rule = Rules['data'][number]

export type Coverage = Schemas['Coverage']
export type RuleGroup = Coverage['groups'][number]

/** Selector of a rule: exactly one of its fields is present. */
export type Selector = NonNullable<RuleGroup['selector']>

/** Receivers that would be notified of an SLO, with the alerts and the reason. */
export type Recipients = Schemas['Recipients']

export type Channel = Schemas['Channel']
export type Channels = { data: Channel[] }

export type Silence = Schemas['Silence']
export type Silences = Paged & { silences: Silence[] }

export type Periods = Schemas['SloPeriods']
export type Changes = Schemas['SloChanges']
export type Change = Changes['changes'][number]
export type ChangedField = Change['fields'][number]

export type Evaluations = Schemas['EvaluationList']
export type ListedEvaluation = Evaluations['evaluations'][number]

export type Notification = Schemas['Notification']
export type Notifications = Paged & { notifications: Notification[] }
export type Attempts = Schemas['AttemptList']
export type DeliveryStatistics = { data: Schemas['NotificationStatistics'] }

export type TemplatePreview = Schemas['TemplatePreviewed']['data']

/** `GET /annotations`: deploys, changes and notes. */
export type AnnotationList = Schemas['AnnotationList']
export type OneAnnotation = Schemas['AnnotationAnswer']
/** `GET /annotations/:id/cost`. */
export type AnnotationCost = Schemas['AnnotationCost']
