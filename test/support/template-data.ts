import type { SloData } from '../../src/notifications/notification-data.ts'
import type { TemplateData } from '../../src/notifications/templates/template-data.ts'
import { utc } from '../../src/zone.ts'
import { someAlert, someData, writtenAtMs } from './messages.ts'

/** Template data of a page: the error budget burns too fast. */
export function someTemplateData(
  overrides: Partial<Omit<TemplateData, 'slo'>> = {},
  slo: Partial<SloData> = {},
): TemplateData {
  return {
    event: 'alert',
    alertType: 'burn_rate_too_fast',
    priority: 'critical',
    sloId: 7,
    slo: someData(slo),
    link: 'https://nines.example/slos/7',
    zone: utc,
    nowMs: writtenAtMs,
    ...overrides,
  }
}

/** An alert about the status; `budgetAlert`: about a budget threshold. */
export const statusAlert = someAlert({ name: 'status', severity: 'critical', burn_rate: null })
export const budgetAlert = (threshold: number) =>
  someAlert({
    name: `budget:${threshold}`,
    severity: threshold > 0 ? 'warning' : 'critical',
    threshold,
    burn_rate: null,
  })
