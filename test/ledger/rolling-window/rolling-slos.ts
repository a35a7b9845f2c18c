import { beforeAll } from 'bun:test'
import type { CheckpointRow } from '../../../src/db/tables/tables.ts'
import { listCheckpoints } from '../../../src/ledger/checkpoint-store.ts'
import { minutesToMeasure, putBuckets } from '../../../src/ledger/ledger-store.ts'
import { measureCounters } from '../../../src/ledger/measure/measure-counters.ts'
import { type PlannedSlo, planSli } from '../../../src/sli/plan/plan.ts'
import { getSlo } from '../../../src/slos/store.ts'
import { sumRollingWindows } from '../../../src/ledger/rolling-window/rolling-window.ts'
import type { StartMinutes } from '../../../src/ledger/rolling-window/window-start.ts'
import type { CounterWorld } from '../../support/counter-world.ts'
import { countedSlo } from '../../support/counting-source.ts'
import { sloCalls } from '../../support/slo-calls.ts'

/** `fixedStartSeconds`: start of a calendar period. */
type Options = {
  windowSeconds?: number
  fixedStartSeconds?: number
  origin?: string
  hasTime?: () => boolean
  slos?: PlannedSlo[]
}

/** SLOs over the counters of services, with the parts of an evaluation that keep their rolling windows. */
export function rollingSlos(services: string[]) {
  const on = sloCalls()
  const made: PlannedSlo[] = []
  let minutes: StartMinutes = new Map()
  beforeAll(async () => {
    for (const service of services) {
      const { body } = await on.create({ ...countedSlo(service), metric_query: null })
      const slo = await getSlo(on.nines.app.db.read, 1, body.id)
      made.push({ slo, plan: planSli(slo) })
    }
  })
  return {
    get db() {
      return on.nines.app.db
    },
    get slos() {
      return made
    },
    async clear(): Promise<void> {
      minutes = new Map()
      await on.nines.app.db.write.deleteFrom('buckets').execute()
      await on.nines.app.db.write.deleteFrom('checkpoints').execute()
    },
    /** Drops the memory, as a restart does. */
    forget: () => void (minutes = new Map()),
    checkpoints: (): Promise<Map<number, CheckpointRow>> =>
      listCheckpoints(
        on.nines.app.db.read,
        made.map(({ slo }) => slo.id),
      ),
    /** Updates the minutes of SLOs up to now and returns the events of their own windows. */
    async evaluate(world: CounterWorld, atSeconds: number, options: Options = {}) {
      const {
        windowSeconds = 7200,
        fixedStartSeconds = null,
        origin = 'world',
        hasTime = () => true,
        slos = made,
      } = options
      const { db } = on.nines.app
      const starts = await minutesToMeasure(db.read, slos, atSeconds)
      const windows = []
      for (const [startSeconds, group] of Map.groupBy(slos, ({ slo }) => starts.get(slo.id) ?? atSeconds)) {
        const span = { resolution: 60, startSeconds, endSeconds: atSeconds } as const
        const counted = group.flatMap(({ slo, plan: { counters } }) =>
          counters ? [{ sloId: slo.id, revision: slo.revision, counters }] : [],
        )
        const measured = await measureCounters(world, counted, span)
        for (const one of counted) {
          const said = measured.get(one.sloId)
          if (!said || 'error' in said) throw new Error('must be minutes')
          await putBuckets(
            db.write,
            said.buckets.map((bucket) => ({ ...bucket, sloId: one.sloId, revision: one.revision, resolution: 60 })),
          )
          windows.push({
            ...one,
            origin: `${origin} ${one.revision}`,
            windowSeconds,
            fixedStartSeconds,
            lastBreakEnd: said.lastBreakEnd,
          })
        }
      }
      world.asked.length = 0
      return sumRollingWindows({ db, source: world, minutes, atSeconds, hasTime }, windows)
    },
  }
}

/** True if a query is for a whole window. */
export const isLong = (expression: string) => expression.includes('increase(')
