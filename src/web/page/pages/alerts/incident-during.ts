import type { Alert } from '../../api/history.ts'
import type { Incident } from '../../api/types.ts'

type Span = Pick<Alert, 'began_at' | 'ended_at'>

/** Incident that overlaps the alert and cost the most budget; undefined if none overlaps. */
export function incidentDuring<T extends Pick<Incident, 'began_at' | 'ended_at' | 'budget_percent'>>(
  incidents: readonly T[],
  { began_at, ended_at }: Span,
): T | undefined {
  const [fromMs, toMs] = [Date.parse(began_at), ended_at === null ? Infinity : Date.parse(ended_at)]
  return incidents
    .filter((one) => Date.parse(one.began_at) < toMs && Date.parse(one.ended_at) >= fromMs)
    .toSorted((a, b) => b.budget_percent - a.budget_percent)[0]
}
