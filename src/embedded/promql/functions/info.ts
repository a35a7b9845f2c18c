import { type Column, distinct, emptyColumn, type Frame, grouped, put, timeAt } from '../columns.ts'
import { queryFailed } from '../../../promql/errors.ts'
import { type Labels, labelOf, labelsKey, metricName, onlyLabels, withLabels } from '../../../promql/labels.ts'
import { matcher, type Matcher, matchersOf } from '../../../promql/matchers.ts'
import { selectorOf, type Shift, shiftOf } from '../../../promql/durations.ts'
import type { SampleReader } from '../reader.ts'
import { selectInstant, shiftedFrame, type EvaluationContext } from '../selectors.ts'
import { childrenOf, type Expr, unwrap } from '../../../promql/syntax.ts'

/** Labels that a series and its info metrics have in common. */
const identifying = ['instance', 'job']
const targetInfo = matcher(metricName, '=', 'target_info')

/**
 * PromQL's `info(base, data)`: adds to each series of `columns`, the values of `base`, the labels of the info metrics with the same
 * instance and job. `data` is a selector. Its `__name__` matchers choose the info metrics, by default `target_info`; the other
 * matchers choose the labels to add.
 */
export function addInfo(context: EvaluationContext, frame: Frame, [base, data]: Expr[], columns: Column[]): Column[] {
  const matchers = data?.kind === 'selector' ? matchersOf(data) : [targetInfo]
  const nameMatchers = matchers.filter(({ name }) => name === metricName)
  const isInfo = ({ labels }: Column) => nameMatchers.some(({ fits }) => fits(labelOf(labels, metricName)))
  const plain = columns.filter((column) => !isInfo(column))
  const identities = identifying.flatMap((name) => valuesMatcher(name, plain) ?? [])
  // nothing can be added: series without a label that `data` requires are left out
  if (identities.length === 0) return matchers.every(({ fits }) => fits('')) || !data ? columns : columns.filter(isInfo)
  const dataMatchers = matchers.filter(({ name }) => name !== metricName)
  const all = [...(nameMatchers.length > 0 ? nameMatchers : [targetInfo]), ...identities, ...dataMatchers]
  const selection = { matchers: all, offsetMs: 0, at: null }
  const asTimes = true // the columns have the times of the samples, by which `labelsAt` finds the newest
  const infos = grouped(selectInstant(limitedToTimesOf(context, frame, base), frame, selection, asTimes), identityOf)
  const added = plain.flatMap((column) =>
    enriched(context, frame, column, infos.get(identityOf(column.labels)) ?? [], dataMatchers),
  )
  return distinct([...columns.filter(isInfo), ...added])
}

/** Context in which selectors read only the times that the first selector in `base` reads, as Prometheus does for info metrics. */
function limitedToTimesOf(context: EvaluationContext, frame: Frame, base: Expr | undefined): EvaluationContext {
  const first = base && firstShift(base)
  if (!first) return context
  const readFrame = shiftedFrame(context, frame, first)
  // the range of a query may end later than its last step
  const restMs = frame.startMs === context.startMs ? Math.max(0, context.endMs - timeAt(frame, frame.count - 1)) : 0
  const earliestMs = readFrame.startMs - context.lookbackMs + 1
  const latestMs = timeAt(readFrame, frame.count - 1) + (first.at === null ? restMs : 0)
  const select: SampleReader['select'] = (matchers, fromMs, toMs) =>
    context.reader.select(matchers, Math.max(fromMs, earliestMs), Math.min(toMs, latestMs))
  return { ...context, reader: { select } }
}

/** Time shift (`offset`, `@`) of the first selector in an expression; undefined if it has none. */
function firstShift(expr: Expr): Shift | undefined {
  const shift = shiftOf(unwrap(expr))
  if (selectorOf(shift.operand)) return shift
  const below = childrenOf(shift.operand)
  // the parameter of an aggregation comes after its operand
  const inOrder = shift.operand.kind === 'aggregate' ? below.toReversed() : below
  return inOrder.map(firstShift).find((found) => found !== undefined)
}

const identityOf = (labels: Labels) => labelsKey(onlyLabels(labels, identifying))

const maxPatternLength = 16_384

/**
 * Matcher for the values of a label in these columns, or for any value if they are too long together. Undefined if no column
 * has the label.
 */
function valuesMatcher(name: string, columns: Column[]): Matcher | undefined {
  const values = new Set(columns.map(({ labels }) => labelOf(labels, name)).filter((value) => value !== ''))
  if (values.size === 0) return undefined
  const value = [...values].map((text) => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&')).join('|')
  if (value.length > maxPatternLength) return { name, operator: '!=', value: '', fits: (text) => text !== '' }
  return { name, operator: '=~', value, fits: (text) => values.has(text) }
}

/** Splits a column by its labels over time. Leaves out steps without added labels, if `data` requires a label. */
function enriched(
  { budget }: EvaluationContext,
  frame: Frame,
  column: Column,
  infos: Column[],
  data: Matcher[],
): Column[] {
  const byLabels = new Map<string, Column>()
  const isOptional = data.every(({ fits }) => fits(''))
  for (let step = 0; step < frame.count; step += 1) {
    if (column.has[step] !== 1) continue
    budget.addSteps(1 + infos.length)
    const infoLabels = labelsAt(step, infos, column.labels, data)
    if (infoLabels.size === 0 && !isOptional) continue
    const labels = withLabels(column.labels, infoLabels)
    const result = byLabels.getOrInsertComputed(labelsKey(labels), () => {
      budget.addSamples(frame.count)
      return emptyColumn(labels, frame)
    })
    put(result, step, column.values[step] ?? NaN)
  }
  return [...byLabels.values()]
}

/** Labels that the newest series of each info metric adds at a step. The values of `infos` are the times of their samples. */
function labelsAt(step: number, infos: Column[], seriesLabels: Labels, data: Matcher[]): Map<string, string> {
  const newest = new Map<string, Column>()
  for (const info of infos) {
    if (info.has[step] !== 1) continue
    const name = labelOf(info.labels, metricName)
    const other = newest.get(name)
    const [takenAt, otherAt] = [info.values[step] ?? NaN, other?.values[step] ?? -Infinity]
    if (takenAt === otherAt) throw queryFailed(`found duplicate series for info metric ${name}`)
    if (takenAt > otherAt) newest.set(name, info)
  }
  const added = new Map<string, string>()
  for (const { labels } of newest.values())
    for (const [name, value] of Object.entries(labels)) {
      if (name === metricName || (data.length > 0 && !data.some((one) => one.name === name))) continue
      if ((added.get(name) ?? value) !== value) throw queryFailed(`conflicting label: ${name}`)
      if (!Object.hasOwn(seriesLabels, name)) added.set(name, value)
    }
  return added
}
