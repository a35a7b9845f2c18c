import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { PageFields, PageQuery } from '../http/paging.ts'
import { moreProblems } from '../http/checks/more-problems.ts'
import {
  Anything,
  BodyId,
  Decoded,
  Format,
  isText,
  Name,
  OneOf,
  QueryId,
  Text,
  TimeZone,
  timeZoneText,
} from '../http/schemas.ts'
import { isLink, linkText, parsePolicy, policyProblems, readPolicyInForce } from './budget-policy.ts'
import { PolicyInForceResponse, PolicyLineResponse, SentPolicy } from './budget-policy-model.ts'
import { parseComposite } from './arithmetic/composite.ts'
import { compositeProblems } from './composites/composites.ts'
import { CompositeResponse, HoldingComposite, SentComposite } from './composites/model.ts'
import { parseServiceHours, serviceHoursProblems } from './corrections/read-service-hours.ts'
import { SentServiceHours, ServiceHoursResponse } from './corrections/service-hours-model.ts'
import { composePair, creationProblems } from './definition.ts'
import { labelProblems, parseLabels } from './labels.ts'
import { MaybePicks } from './picks-model.ts'
import type { DescribedSlo, ListedSloRow } from './store.ts'
import { isSloWindow, sloWindowText } from './arithmetic/window-names.ts'
import type { SloWindow } from './arithmetic/windows.ts'

/** Labels that `readLabels` accepts, for the API reference. */
export const Labels = t.Record(
  t.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$' }),
  t.String({ minLength: 1, maxLength: 200 }),
  { additionalProperties: false, maxProperties: 20, description: 'at most 20 names and texts' },
)

export const maxNameLength = 200
export const maxQueryLength = 10_000

const Query = Text({ max: maxQueryLength, lines: 'many' })

/** True if a label value of a series can be a label value of an SLO too. */
export function isLabelValue(value: string): boolean {
  return isText(value, { max: 200 }) && value === value.trim()
}

/** Label of series, and one of its values, for which an SLO is created. */
export const SeriesLabel = t.String({
  pattern: '^(?:[a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9_]{0,61}$',
  description: 'a label of series: 1 to 63 letters, digits and _',
})
export const SeriesLabelValue = Format(
  'label-value',
  '1 to 200 characters, no control characters, no space at either end',
  isLabelValue,
)

/** Field of a creation or change: a paused SLO is not evaluated. */
const paused = { paused: t.Optional(t.Boolean({ description: 'true or false' })) }

/** Field of a creation or change: stores its queries even if neither nines nor their source can read them. */
const force = { force: t.Optional(t.Boolean({ description: 'true or false' })) }

/** Address that people open in a browser; empty: none. */
export const Link = Decoded(Format('runbook-url', linkText, isLink), (value) => value.trim())

/** Window of an SLO: `30d`, `month`. */
export const SloWindowName = t.Unsafe<SloWindow>(Format('slo-window', sloWindowText, isSloWindow))

const requiredFields = {
  name: Name({ max: maxNameLength }),
  target: t.Number({ exclusiveMinimum: 0, maximum: 100, description: 'a number above 0 and at most 100, in percent' }),
  time_window: SloWindowName,
  metric_type: OneOf(['availability', 'latency', 'throughput']),
}

const optionalFields = {
  time_zone: t.Optional(
    t.Nullable(TimeZone, { description: `${timeZoneText}, of a calendar window; null: that of the organization` }),
  ),
  description: t.Optional(Text({ min: 0, max: 4000, lines: 'many' })),
  runbook_url: t.Optional(Link),
  owner: t.Optional(Text({ min: 0, max: 200 })),
  team_id: t.Optional(BodyId('team')),
  labels: t.Optional(Anything(Labels)), // read by readLabels: Elysia does not pass a record on as it was sent
  budget_policy: t.Optional(Anything(SentPolicy)), // read by readPolicy
  composite: t.Optional(t.Nullable(SentComposite)),
  service_hours: t.Optional(Anything(t.Nullable(SentServiceHours))), // read by readServiceHours
  window_method: t.Optional(OneOf(['auto', 'widen', 'mean'])),
  query_unit: t.Optional(OneOf(['auto', 'ratio', 'percent'])),
  source_id: t.Optional(t.Nullable(BodyId('source'))),
  metric_query: t.Optional(t.Nullable(Query)),
  good_query: t.Optional(t.Nullable(Query)),
  bad_query: t.Optional(t.Nullable(Query)),
  total_query: t.Optional(t.Nullable(Query)),
  threshold: t.Optional(t.Nullable(t.Number({ description: 'a number, in the unit of metric_query' }))),
  threshold_op: t.Optional(t.Nullable(OneOf(['lte', 'lt', 'gte', 'gt']))),
}

export const SloCreation = t.Object(
  {
    ...requiredFields,
    ...optionalFields,
    ...paused,
    ...force,
    active: t.Optional(t.Literal(true, { description: 'true; paused: true creates an SLO that is not evaluated' })),
  },
  {
    [moreProblems]: creationProblems,
    title: 'SloCreation',
    examples: [
      {
        name: 'Checkout answers',
        target: 99.9,
        time_window: '30d',
        metric_type: 'availability',
        good_query: 'sum(rate(http_requests_total{job="checkout", code!~"5.."}[5m]))',
        total_query: 'sum(rate(http_requests_total{job="checkout"}[5m]))',
        labels: { team: 'payments' },
        runbook_url: 'https://wiki.example.com/runbooks/checkout',
        owner: 'Payments',
      },
    ],
  },
)

type UpdateToCheck = {
  service_hours?: unknown
  labels?: unknown
  budget_policy?: unknown
  composite?: SentComposite | null
}

export const SloUpdate = t.Object(
  {
    ...t.Partial(t.Object(requiredFields)).properties,
    ...optionalFields,
    ...paused,
    ...force,
    active: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  {
    [moreProblems]: ({ labels, budget_policy, service_hours, composite }: UpdateToCheck) => [
      ...compositeProblems(composite),
      ...labelProblems(labels),
      ...policyProblems(budget_policy),
      ...serviceHoursProblems(service_hours),
    ],
    title: 'SloUpdate',
    examples: [{ target: 99.5, labels: { team: 'payments', tier: '1' } }],
  },
)

export type SloCreation = Static<typeof SloCreation>
export type SloUpdate = Static<typeof SloUpdate>

export const LabelFilters = t.Array(t.String({ pattern: '^[^:]+:' }), {
  maxItems: 20,
  description: 'key:value, may be repeated: only what has all of these labels',
})

/** Filter for each value of `active` in a list; null: active and deleted SLOs. */
export const activeOf = { true: true, false: false, all: null } as const

export const SloListQuery = t.Object({
  ...PageQuery,
  active: t.Optional(OneOf(['true', 'false', 'all'])),
  team_id: t.Optional(QueryId),
  label: t.Optional(Anything(LabelFilters)), // read by readLabelFilters
  search: t.Optional(Text({ min: 0, max: 200 })),
})

export const Slo = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    description: t.String(),
    runbook_url: t.String({ description: 'linked in messages about its incidents; empty: none' }),
    owner: t.String({ description: 'named in messages about its incidents; empty: none' }),
    budget_policy: t.Array(PolicyLineResponse, {
      description:
        'its own error budget policy, the highest percent first; empty: that of its team holds, if it has one',
    }),
    service_hours: t.Nullable(ServiceHoursResponse, {
      description: 'weekly hours in which it counts; null: it counts at all times',
    }),
    target: t.Number(),
    time_window: t.String(),
    time_zone: t.Nullable(t.String(), { description: 'IANA name; null: the window moves with time' }),
    metric_type: t.String(),
    metric_query: t.String(),
    team_id: t.Number(),
    created_by: t.Nullable(t.Number()),
    active: t.Boolean(),
    paused: t.Boolean(),
    paused_at: t.Nullable(t.String()),
    created_at: t.String(),
    updated_at: t.String(),
    source_id: t.Nullable(t.Number()),
    good_query: t.Nullable(t.String()),
    bad_query: t.Nullable(t.String()),
    total_query: t.Nullable(t.String()),
    threshold: t.Nullable(t.Number()),
    threshold_op: t.Nullable(t.String()),
    window_method: t.String(),
    query_unit: t.String(),
    composite: t.Nullable(CompositeResponse, {
      description: 'the SLOs that it is computed from; null: it is measured by queries',
    }),
    labels: t.Record(t.String(), t.String()),
    revision: t.Number(),
    measured_since: t.String(),
  },
  { title: 'Slo' },
)

/** Response to a creation. `warnings`: likely mistakes in the query, in sentences a person can act on. */
export const CreatedSlo = t.Composite(
  [Slo, t.Object({ status: t.Literal('unknown'), warnings: t.Array(t.String()) })],
  { title: 'CreatedSlo' },
)

/** Silence in force, as shown with an alert or SLO that it silences. */
export const SilenceInForce = t.Object({
  id: t.Number(),
  until: t.String(),
  comment: t.String(),
  labels: t.Nullable(t.Record(t.String(), t.String()), { description: 'of all the SLOs it holds back; null: of one' }),
  created_by_name: t.Nullable(t.String()),
})

export const SloWithNames = t.Composite(
  [
    Slo,
    t.Object({
      team_name: t.String(),
      policy_in_force: t.Nullable(PolicyInForceResponse, {
        description: 'the error budget policy that holds: its own, else that of its team; null: neither has one',
      }),
      source_name: t.Nullable(
        t.String({ description: 'of the default source where source_id is null; null also of a composite' }),
      ),
      created_by_name: t.Nullable(t.String()),
      silence: t.Nullable(SilenceInForce, {
        description: 'the silence in force that holds back its alerts longest; null: there is none',
      }),
      picks: MaybePicks,
      composites: t.Array(HoldingComposite, { description: 'the composites that it is a member of' }),
    }),
  ],
  { title: 'SloWithNames' },
)

const ListedSlo = t.Composite([Slo, t.Object({ team_name: t.String(), created_by_name: t.Nullable(t.String()) })], {
  title: 'ListedSlo',
})

export const SloList = t.Object(
  {
    slos: t.Array(ListedSlo),
    ...PageFields,
  },
  { title: 'SloList' },
)

const fieldsOfListed = Object.keys(ListedSlo.properties) as (keyof typeof ListedSlo.static)[]

/** Presents a row for a response with the fields of `ListedSlo`. */
export function presentListed(row: ListedSloRow) {
  return { ...presentSlo(row), team_name: row.team_name, created_by_name: row.created_by_name }
}

/** Presents rows with the fields of `ListedSlo` only. */
export function* listedFields(rows: Iterable<ListedSloRow>): Generator<Partial<typeof ListedSlo.static>> {
  for (const row of rows) {
    const presented = presentListed(row)
    yield Object.fromEntries(fieldsOfListed.map((name) => [name, presented[name]]))
  }
}

/** Approximate number of characters in the JSON of the rows. */
export function lengthOfSlos(rows: readonly ListedSloRow[]): number {
  const charactersOf = ({
    description,
    runbook_url,
    budget_policy,
    service_hours,
    labels,
    metric_query,
    good_query,
    bad_query,
    total_query,
  }: ListedSloRow) =>
    [
      description,
      runbook_url,
      budget_policy,
      service_hours,
      labels,
      metric_query,
      good_query,
      bad_query,
      total_query,
    ].reduce((sum, text) => sum + (text?.length ?? 0), charactersPerSlo)
  return rows.reduce((sum, row) => sum + charactersOf(row), 0)
}

/** Approximate number of characters of an SLO in JSON without these texts. */
const charactersPerSlo = 700

/** Presents a row for a response with the fields of `Slo`. */
export function presentSlo(row: SloRow & Pick<DescribedSlo, 'measured_since'>) {
  return {
    ...row,
    metric_query: row.metric_query ?? composePair(row)?.text ?? '',
    active: row.active === 1,
    paused: row.paused_at !== null,
    paused_at: isoTimeOrNull(row.paused_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    labels: parseLabels(row),
    budget_policy: parsePolicy(row),
    composite: parseComposite(row),
    service_hours: parseServiceHours(row),
    measured_since: isoTime(row.measured_since),
  }
}

/** Presents the policy that holds for an SLO. */
export function presentPolicyInForce(row: DescribedSlo) {
  const policy = readPolicyInForce(row)
  return policy && { source: policy.source, lines: [...policy.lines] }
}
