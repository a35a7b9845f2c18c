import { type FormAddress, newSloPath } from '../address/new-slo.ts'

/** Path of the form of a new SLO over the runs of a heartbeat. `source`: the embedded source. */
export function heartbeatSloPath(
  { name, labels }: { name: string; labels: Record<string, string> },
  source: FormAddress['source'],
): string {
  const job = `{job=${JSON.stringify(labels['job'] ?? name)}}`
  return newSloPath({
    ...(source !== undefined && { source }),
    name,
    target: 99,
    good: `heartbeat_runs_good_total${job}`,
    total: `heartbeat_runs_total${job}`,
  })
}
