import { t } from 'elysia'
import { OneOf } from '../../http/schemas.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import { readAlertName } from './alert-name.ts'

/** Response fields for the parts of an alert name. */
export const AlertNameFields = {
  kind: OneOf(
    ['burn_rate', 'budget', 'status', 'down', 'condition'],
    'what fires: a tier, a threshold, the status, an outage, or nines itself',
  ),
  long_window: t.Nullable(t.String({ description: 'of the kind `burn_rate`, as in `1h`' })),
  short_window: t.Nullable(t.String({ description: 'of the kind `burn_rate`, as in `5m`' })),
  threshold_percent: t.Nullable(
    t.Number({ description: 'of the kind `budget`: the budget remaining at which it fires, in percent' }),
  ),
  condition: t.Nullable(t.String({ description: 'of the kind `condition`: its name, as in `disk_full`' })),
}

/** Presents an alert name; the parts of other kinds are null. */
export function presentAlertName(name: string) {
  const alert = readAlertName(name)
  const isTier = alert.kind === 'burn_rate'
  return {
    kind: alert.kind,
    long_window: isTier ? windowName(alert.longSeconds) : null,
    short_window: isTier ? windowName(alert.shortSeconds) : null,
    threshold_percent: alert.kind === 'budget' ? alert.threshold : null,
    condition: alert.kind === 'condition' ? alert.condition : null,
  }
}
