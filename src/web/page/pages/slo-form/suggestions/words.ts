import { formatCount, plural } from '../../../format.ts'

export const suggestionWords = {
  title: 'Found in your source',
  kinds: {
    availability: 'requests that succeed',
    latency: 'requests that are fast',
    probe: 'checks that succeed',
    up: 'scrapes that succeed',
  },
  use: 'Use',
  create: 'Create',
  hasSlo: 'Has an SLO',
  noMetrics:
    'No metrics of requests, latencies or checks under a name that nines knows. Pick the metric below, or write the query.',
  noTraffic:
    'There are metrics of requests or checks, but none had traffic in the last day and says which of it failed, or how long it took.',
  noneOfJobs: 'Jobs are not searched for: pick a heartbeat, or the metrics of a job, below.',
  noneOfKind: 'Nothing was found for what you chose above.',
  missing: 'The source did not answer everything, so some may be missing.',
} as const

/** Daily SLI of a suggestion. `worst`: that of the worst day. */
export function daysLabel(days: number, worst: string): string {
  return plural(days, `One day, the worst ${worst}`, `# days, the worst ${worst}`)
}

/** Share that was reached, rounded down. */
export function reachedWords(share: string): string {
  return `reached ${share}`
}

export function requestsWords(perDay: number): string {
  return plural(perDay, '# request a day', '# requests a day', formatCount)
}
