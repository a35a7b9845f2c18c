import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../../src/db/open-samples.ts'
import type { Label } from '../../../src/embedded/exposition/sample.ts'
import { type Matcher, matcher } from '../../../src/promql/matchers.ts'
import type { MatchOperator } from '../../../src/promql/syntax.ts'
import type { Labels } from '../../../src/promql/labels.ts'
import { isStale, type Series } from '../../../src/embedded/promql/reader.ts'
import type { LabelLimits } from '../../../src/embedded/store/labels.ts'
import { createSampleStore, type SampleStore } from '../../../src/embedded/store/sample-store.ts'

type Settings = {
  keepMs?: number
  maxBytes?: number
  maxBytesOfOrganization?: number
  limits?: LabelLimits
  onUnreadable?: (labels: Labels) => void
}

/** A store in a new folder, with a clock that only the test advances. */
export function storeWorld({ keepMs = 1e15, maxBytes = 1e12, ...rest }: Settings = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-samples-'))
  let nowMs = 0
  let file = openSamples(dataDir)
  const open = () => createSampleStore({ file, clock: { now: () => nowMs }, keepMs, maxBytes, ...rest })
  let store = open()
  return {
    dataDir,
    store: () => store,
    file: () => file,
    setNow(timeMs: number) {
      nowMs = timeMs
    },
    /** Opens the file again, as after a kill. */
    reopen() {
      file.close()
      file = openSamples(dataDir)
      store = open()
    },
    close() {
      file.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** `labels({ job: 'a' })`: labels of the metric `m`, in the order of an exposition. */
export function labels(byName: Record<string, string>): Label[] {
  return Object.entries({ __name__: 'm', ...byName })
}

/** `where('job', '=', 'a')` */
export const where = (name: string, operator: MatchOperator, value: string) => matcher(name, operator, value)

const unbounded = { series: Infinity, samples: Infinity, patternSteps: Infinity, chunks: Infinity }

/** Series that match every matcher and have samples in [fromMs, toMs]. */
export function select(
  store: Pick<SampleStore, 'selectSmall' | 'usedBy'>,
  organizationId: number,
  matchers: readonly Matcher[],
  fromMs: number,
  toMs: number,
): Series[] {
  store.usedBy(organizationId) // fills memory, after an opening
  const found = store.selectSmall(organizationId, matchers, fromMs, toMs, unbounded)
  if (!found) throw new Error('the store has not read its series yet')
  return found
}

/** `[time, value]` of each sample. */
export function samplesIn({ timesMs, values }: Series): [number, number | 'stale'][] {
  return Array.from(timesMs, (timeMs, index) => [timeMs, isStale(values, index) ? 'stale' : (values[index] ?? NaN)])
}
