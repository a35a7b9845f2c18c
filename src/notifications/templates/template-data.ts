import type { NotificationEvent, Priority } from '../../db/tables/tables.ts'
import { tidy } from '../../slos/arithmetic/budget.ts'
import type { Facts } from '../facts.ts'

/** What a notification is written from. `link`: where its SLO is shown. */
export type TemplateData = {
  event: NotificationEvent
  alertType: string
  priority: Priority
  sloId: number
  facts: Facts
  link: string
  nowMs: number
}

const unknown = 'unknown'

/** A percentage of what goes well, without sign: cut, so that nothing below a target reads as that target. */
export function shownValue(percent: number | null): string {
  if (percent === null) return unknown
  const value = Number(percent.toFixed(8))
  const scale = 10 ** decimalsFor(100 - value)
  return String(Math.floor(tidy(value * scale)) / scale)
}

/** Three digits of what goes wrong: 99.423, 99.99423. */
function decimalsFor(missing: number): number {
  return missing <= 0 ? 0 : Math.min(8, Math.max(2, 2 - Math.floor(Math.log10(missing))))
}

/** Any other number, in two decimals, or four where it is below 1. */
export function shownNumber(value: number | null): string {
  return value === null ? unknown : String(Number(value.toFixed(Math.abs(value) < 1 ? 4 : 2)))
}

/** As in `2d 4h`, `3m` or `20s`. */
export function shownDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))}s`
  const minutes = Math.floor(seconds / 60)
  const parts = [
    { count: Math.floor(minutes / 1440), unit: 'd' },
    { count: Math.floor(minutes / 60) % 24, unit: 'h' },
    { count: minutes % 60, unit: 'm' },
  ]
  const largest = parts.findIndex(({ count }) => count > 0)
  return parts
    .slice(largest, largest + 2)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count}${unit}`)
    .join(' ')
}

export function shownLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

/** What is not known, of what there is. */
export function orUnknown(value: string | null): string {
  return value ?? unknown
}
