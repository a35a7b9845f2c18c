import type { Finding } from '../watchdog.ts'

/** Of all that is collected, how much fails again and again; `isSure`: the rest does not fail. */
type Collected = { failing(organizationId?: number): { failing: number; all: number; isSure: boolean } }

/** Whether what is collected arrives: not a probe that finds its target down, which is a measurement. */
export function watchScrapes(collector: Collected, watched: () => Promise<'all' | number>): () => Promise<Finding> {
  return async () => {
    const whose = await watched()
    const { failing, all, isSure } = collector.failing(whose === 'all' ? undefined : whose)
    if (failing > 0)
      return `${failing} of ${all} scrape targets and probes have failed again and again for five minutes`
    return isSure ? null : undefined
  }
}
