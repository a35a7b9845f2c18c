import { withEmbedded } from '../sources/embedded-source.ts'
import type { SourceOpener } from '../sources/source.ts'

/** `scheduled` is for questions that nobody waits for. */
export function createOpeners(
  options: Parameters<typeof withEmbedded>[0],
  overrides: { opener?: SourceOpener },
): { opener: SourceOpener; scheduled: SourceOpener } {
  return {
    opener: overrides.opener ?? withEmbedded(options),
    scheduled: overrides.opener ?? withEmbedded({ ...options, isScheduled: true }),
  }
}
