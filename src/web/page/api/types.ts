import type { Schemas } from '../../../../dist/openapi.d.ts'

// Responses of the API, from its OpenAPI document (`npm run types`). Percentages are 0 to 100; unknown values are null.

export type User = Schemas['OwnUser']
export type Tokens = Schemas['TokenResponse']

export type Overview = Schemas['Overview']
export type OverviewSlo = Overview['slos'][number]

export type Slo = Schemas['SloWithNames']
export type SloList = Schemas['SloList']
export type Teams = Schemas['TeamList']
export type Budget = Schemas['SloBudget']

export type BurnRates = Schemas['SloBurnRates']
export type Tier = BurnRates['tiers'][number]

export type Series = Schemas['SloSeries']
export type SeriesPoint = Series['points'][number]

export type Incidents = Schemas['Incidents']
export type Incident = Incidents['incidents'][number]
/** `GET /slos/:id/checks`. */
export type Checks = Schemas['SloChecks']
export type Preview = Schemas['PreviewResult']
/** Draft of an SLO; it needs no name yet. */
export type SloDraft = Schemas['SloPreview']

export type BulkRequest = Schemas['BulkRequest']
export type BulkAnswer = Schemas['BulkAnswer']

export type IncidentBreakdown = Schemas['IncidentBreakdown']
export type BrokenDownLabel = IncidentBreakdown['labels'][number]

export type Backfill = Schemas['Backfill']
export type Source = Schemas['DataSource']
export type Suggestions = Schemas['Suggestions']
/** An SLO that the data of a source allows; `slo` is the request body that creates it. */
export type Suggestion = Schemas['Suggestion']

export type Picks = Schemas['Picks']
export type Probe = Schemas['Probe']

export type Organization = Schemas['Organization']
export type Invitation = Schemas['CreatedInvitation']
