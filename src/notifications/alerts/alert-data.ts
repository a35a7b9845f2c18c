import { isoTime } from '../../clock.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import type { BurnRate } from '../../slos/arithmetic/burn-rates.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import type { AlertData } from '../notification-data.ts'
import { readAlertName } from './alert-name.ts'
import { tierName } from './alert-conditions.ts'

/** The data of an alert; `burnRates`: of its SLO, as last found. */
export function alertDataOf(burnRates: BurnRate[], alert: AlertRow): AlertData {
  const name = readAlertName(alert.name)
  const tier = burnRates.find((rate) => tierName(rate) === alert.name)
  return {
    name: alert.name,
    severity: alert.severity,
    began_at: isoTime(alert.began_at * 1000),
    ended_at: alert.ended_at === null ? null : isoTime(alert.ended_at * 1000),
    threshold: name.kind === 'budget' ? name.threshold : null,
    burn_rate: tier
      ? {
          factor: tier.factor,
          long_window: windowName(tier.long_seconds),
          short_window: windowName(tier.short_seconds),
          long: tier.long,
          short: tier.short,
        }
      : null,
  }
}
