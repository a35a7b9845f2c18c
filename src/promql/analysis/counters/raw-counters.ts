import { type Binary, type Expr, type Span, unwrap } from '../../syntax.ts'
import type { Edit } from '../../print.ts'
import { constantOf, measuredRatios } from '../linear-form.ts'
import { addedBuckets, matchingOf } from '../matching.ts'
import { eventKind } from '../side-kind.ts'
import { type InstantReads, instantReads, type Unsafe } from './instant-reads.ts'
import { metricNames } from './raw-quantity.ts'

/** Kind of metric that a selector reads; `unsure`: what the source returns fits both. */
export type MetricKind = 'counter' | 'gauge' | 'unsure'

/** Known metric kinds by the text of the selector. */
export type MetricKinds = ReadonlyMap<string, MetricKind>

/**
 * Counters that are read without an increase: a ratio of them compares the totals since they started, which hardly depend on
 * the window. `edits` replace them by increases. `problem`: why that is impossible, otherwise null. `candidates`: selectors
 * whose metric kind the source may know.
 */
export type RawCounters = { edits: Edit[]; problem: string | null; notes: string[]; candidates: Span[] }

type Options = { metricKinds: MetricKinds; textOf(span: Span): string; range: string; isAssessed: boolean }

const counterEnding = /_(?:total|count|sum|bucket)$/

/** True if a metric is a counter by its name. */
export function isNamedCounter(metric: string): boolean {
  return counterEnding.test(metric)
}

/** Finds raw counters in an expression and its ratios; `range` is used for the increases that are inserted. */
export function rawCounters(root: Expr, options: Options): RawCounters {
  const rawReads: RawCounters = { edits: [], problem: null, notes: [], candidates: [] }
  const ratios = [...measuredRatios(root)].map((ratio) => ({ ratio, matching: matchingOf(ratio) }))
  const sidesToSum = ratios
    .filter(({ matching }) => matching.way === 'always_one')
    .flatMap(({ ratio }) => sidesOf(ratio))
  rawReads.edits.push(...ratios.flatMap(({ matching }) => (matching.way === 'uneven' ? matching.edits : [])))
  rawReads.edits.push(...sidesToSum.map(({ from }) => inserted(from, 'sum(')))
  for (const { ratio, matching } of ratios) {
    readBuckets(ratio, matching.way === 'always_one', options, rawReads)
    readRatio(ratio, options, rawReads)
    if (matching.way === 'always_one') rawReads.notes.push(sumsDivided(matching.labels))
  }
  rawReads.edits.push(...sidesToSum.map(({ to }) => inserted(to, ')')))
  readOutside(
    root,
    ratios.map(({ ratio }) => ratio),
    options,
    rawReads,
  )
  return rawReads
}

function readBuckets({ left, right }: Binary, isAddedUp: boolean, options: Options, rawReads: RawCounters): void {
  const bucket = [left, right]
    .flatMap((side) => addedBuckets(side, isAddedUp))
    .find((selector) => options.metricKinds.get(options.textOf(selector)) !== 'gauge')
  if (bucket) rawReads.problem ??= noteOn(bucket, options.textOf, bucketsAdded)
}

const kindIn =
  ({ metricKinds, textOf }: Options) =>
  (selector: Expr): MetricKind =>
    metricKinds.get(textOf(selector)) ?? (isNamedCounter(nameOf(selector)) ? 'counter' : 'gauge')

function readRatio({ left, right }: Binary, options: Options, rawReads: RawCounters): void {
  const { metricKinds, textOf, range } = options
  const kindOf = kindIn(options)
  const sides = [left, right].map((side) => ({ side, reads: instantReads(side) }))
  const reads = sides.flatMap(({ reads }) => [...reads.summed, ...reads.blocked])
  const unsafe = sides.flatMap(({ reads }) => reads.unsafe).filter(({ selector }) => kindOf(selector) === 'counter')
  rawReads.candidates.push(...unsafe.map(({ selector }) => selector))
  rawReads.notes.push(...unsafe.map(({ selector, why }) => noteOn(selector, textOf, unsafeNotes[why])))
  const sampled = sides.flatMap(({ reads }) => reads.sampled).filter((selector) => kindOf(selector) === 'counter')
  rawReads.candidates.push(...reads, ...sampled)
  for (const selector of sampled) {
    // An author who applies a function over a range means a gauge, whatever the metric's name.
    if (metricKinds.get(textOf(selector)) === 'counter') rawReads.problem ??= noteOn(selector, textOf, cannotRewrite)
    else rawReads.notes.push(noteOn(selector, textOf, looksLikeCounter))
  }
  const unsure = reads.find((selector) => kindOf(selector) === 'unsure')
  if (unsure) rawReads.problem ??= noteOn(unsure, textOf, undecided)
  const counter = reads.find((selector) => kindOf(selector) === 'counter')
  if (!counter) return
  const isSum = ({ summed, blocked, hasMore }: InstantReads) =>
    !hasMore && blocked.length === 0 && summed.length > 0 && summed.every((one) => kindOf(one) === 'counter')
  if (!sides.every(({ side, reads }) => eventKind(side) !== null || isSum(reads))) {
    rawReads.problem ??= noteOn(counter, textOf, cannotRewrite)
    return
  }
  const name = sides.some(({ side }) => eventKind(side) === 'per_second') ? 'rate' : 'increase'
  for (const { from, to } of reads) rawReads.edits.push(inserted(from, `${name}(`), inserted(to, `[${range}])`))
  const unexpected = reads.find((selector) => kindOf(selector) === 'counter' && !runCounter.test(nameOf(selector)))
  if (unexpected) rawReads.notes.push(noteOn(unexpected, textOf, measuredAsIncrease))
}

/** Counters of heartbeats, which begin at 0. nines documents them to be read as they are. */
export const runCounter = /^heartbeat_runs_(?:good_)?total$/

/** Checks counters outside of any ratio. Such a counter is a quantity: a problem, or only a note if compared with a bound. */
function readOutside(root: Expr, ratios: Span[], options: Options, rawReads: RawCounters): void {
  const isOutside = ({ from, to }: Span) => !ratios.some((ratio) => ratio.from <= from && to <= ratio.to)
  const { summed, blocked } = instantReads(root)
  const named = [...summed, ...blocked].filter((one) => isOutside(one) && isNamedCounter(nameOf(one)))
  rawReads.candidates.push(...named)
  const counter = named.find((selector) => kindIn(options)(selector) === 'counter')
  if (!counter) return
  if (options.isAssessed) rawReads.notes.push(noteOn(counter, options.textOf, comparedWithBound))
  else rawReads.problem ??= noteOn(counter, options.textOf, cannotRewrite)
}

const sidesOf = ({ left, right }: Binary) => [withoutScale(left), unwrap(right)]

/** Removes a constant factor: `x` of `100 * x` and `x * 100`. */
function withoutScale(side: Expr): Expr {
  const inner = unwrap(side)
  if (inner.kind !== 'binary' || inner.operator !== '*') return inner
  return unwrap(constantOf(inner.left) === undefined ? inner.left : inner.right)
}

const inserted = (at: number, text: string): Edit => ({ from: at, to: at, text })

function nameOf(selector: Expr): string {
  return metricNames(selector)[0] ?? ''
}

/** Builds a note on a counter from its name and the text of its selector. */
type NoteTemplate = (name: string, text: string) => string

/** Note on a selector. */
function noteOn(selector: Expr, textOf: Options['textOf'], sentence: NoteTemplate): string {
  return sentence(nameOf(selector) || textOf(selector), textOf(selector))
}

const measuredAsIncrease: NoteTemplate = (name, text) =>
  `${name} is a counter and is read without rate or increase: it is measured as its increase over the window. Write increase(${text}[5m]).`

const cannotRewrite: NoteTemplate = (name, text) =>
  `${name} is a counter: its value counts from its start and says nothing of the window. Divide increase(${text}[5m]) by the ` +
  `increase of all events; if it is a gauge, write last_over_time(${text}[5m]).`

const undecided: NoteTemplate = (name, text) =>
  `The source does not say whether ${name} is a counter or a gauge. If it is a counter, write increase(${text}[5m]); if it is a ` +
  `gauge, write last_over_time(${text}[5m]).`

const looksLikeCounter: NoteTemplate = (name, text) =>
  `${name} is a counter by its name, and is read as a gauge. If it is a counter, write increase(${text}[5m]).`

const unsafeNotes: Record<Unsafe, NoteTemplate> = {
  falls: (name, text) =>
    `${name} is a counter, and each restart of it counts as a negative difference. Write increase(${text}[5m]).`,
  samples: (name, text) =>
    `count_over_time counts the samples of ${name}, not its events. Write increase(${text}[5m]).`,
  sums: (_name, text) =>
    `Of a sum of counters the restart of one is taken for that of all. Write sum(increase(${text}[5m])).`,
}

const comparedWithBound: NoteTemplate = (name, text) =>
  `${name} is a counter: what is held against the bound is all that it has counted since its start. Write increase(${text}[5m]).`

const bucketsAdded: NoteTemplate = (name) =>
  `Each bucket of ${name} holds the events of the buckets below it, so that their sum counts events several times. Select one ` +
  `with le="…"; for all events, read ${name.replace(/_bucket$/, '')}_count, or le="+Inf".`

const sumsDivided = (labels: string[]) =>
  `Both sides are matched by ${labels.join(' and ')}, so that each series would be divided by itself, which is always 1: it is ` +
  'measured as the quotient of the sums. Put sum(…) around both sides.'
