import type { TierRule } from '../api/history.ts'
import type { PolicyLine } from '../../../slos/arithmetic/budget-policy.ts'
import type { Slo } from '../api/types.ts'
import { methodSentence, unknownMemberWords } from './journey-words.ts'
import { severityWords } from './recipients/recipients.ts'
import { type ServiceHours, serviceHoursText } from './service-hours-words.ts'
import { formatNumber, formatPercent, formatWindow, plural } from '../format.ts'

export const isQuery = (field: string): boolean => field.endsWith('_query')

const comparisons: Record<string, string> = { lte: '≤', lt: '<', gte: '≥', gt: '>' }

/** Formats the value of a field. */
export function valueText(field: string, value: unknown): string {
  if (value === null && field === 'service_hours') return 'at all times'
  if (value === null && (field === 'burn_rate_tiers' || field === 'budget_thresholds')) return 'the standard ones'
  if (value === null || value === '') return 'none'
  if (Array.isArray(value) && value.length === 0) return 'none'
  switch (field) {
    case 'paused':
      return value === true ? 'yes' : 'no'
    case 'target':
      return formatPercent(Number(value), (String(value).split('.')[1] ?? '').length)
    case 'time_window':
      return formatWindow(String(value))
    case 'threshold_op':
      return comparisonSign(String(value))
    case 'source_id':
    case 'team_id':
      return `number ${value}`
    case 'labels':
      return (
        Object.entries(value as Record<string, string>)
          .map(([name, text]) => `${name}=${text}`)
          .join(', ') || 'none'
      )
    case 'service_hours':
      return serviceHoursText(value as ServiceHours)
    case 'burn_rate_tiers':
      return (value as TierRule[]).map(tierText).join('; ')
    case 'budget_thresholds':
      return (value as number[]).map((percent) => formatPercent(percent)).join(', ')
    case 'budget_policy':
      return (value as PolicyLine[])
        .map(({ percent_left, text }) => `${formatPercent(percent_left)}: ${text}`)
        .join('; ')
    case 'composite':
      return compositeText(value as Composite)
    default:
      return String(value)
  }
}

export function comparisonSign(operator: string): string {
  return comparisons[operator] ?? operator
}

function tierText({ severity, factor, long_window, short_window, min_events: minEvents, enabled }: TierRule): string {
  const tier = `${severityWords[severity] ?? severity} ${formatNumber(factor, Number.isInteger(factor) ? 0 : 1)}× over ${formatWindow(long_window)} and ${formatWindow(short_window)}`
  const minimum = plural(minEvents, 'from 1 failed event on', 'from # failed events on')
  const withMinimum = minEvents > 0 ? `${tier}, ${minimum}` : tier
  return enabled ? withMinimum : `${withMinimum}, off`
}

type Composite = NonNullable<Slo['composite']>

function compositeText({ method, members, on_unknown_member: rule }: Composite): string {
  const each = members.map(({ slo_id: id, weight }) => [`number ${id}`, ...(weight === 1 ? [] : [weight])].join(' × '))
  const whenUnknown = unknownMemberWords[rule as keyof typeof unknownMemberWords]
  return `${methodSentence(method)}: ${each.join(', ')}. While a member is unknown: ${whenUnknown}`
}
