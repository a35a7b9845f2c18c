import { AppError } from '../../../errors.ts'
import type { ItemSeries } from '../item.ts'
import { createSeriesWriter } from './series-writer.ts'
import { ownLabels } from './target-labels.ts'
import type { SeriesDeps } from './target-series.ts'
import type { Probe } from '../target.ts'

/** The series of one probe: what it found out, also where it failed. */
export function openProbeSeries({ store, clock }: SeriesDeps, probe: Probe): ItemSeries {
  const labels = ownLabels(probe, probe.target)
  const writer = createSeriesWriter({ store, clock, organizationId: probe.organizationId, labels })
  return {
    write(timeMs, { readings }) {
      try {
        writer.write(readings, timeMs)
        return null
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return error.details ?? error.message
      }
    },
    end: writer.end,
  }
}
