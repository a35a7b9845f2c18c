import { listOrganizations } from '../auth/organizations/store.ts'
import type { Label } from '../embedded/exposition/sample.ts'
import type { SampleStore, SeriesRef } from '../embedded/store/sample-store.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Families } from '../metrics/families.ts'
import { addSloSeries, type SloSeriesDeps } from '../status/slo-series.ts'

type Deps = Omit<SloSeriesDeps, 'maxSlos'> & {
  samples: Pick<SampleStore, 'assertRoom' | 'refOf' | 'appendTo' | 'whenFilled'>
  log: Log
  isClosing: () => boolean
}

/** Only this many SLOs of an organization are written, the oldest first: the same limit as for `/metrics`. */
const maxSlos = 1000

/**
 * Creates the job that writes the series of SLOs (`slo_…`) into the embedded source of their organizations, so that remote write
 * sends them with the other samples. Call it once a minute. Series of deleted SLOs get a stale marker.
 */
export function createSloSamples({ samples, log, isClosing, ...deps }: Deps): () => Promise<void> {
  let written = new Map<string, SeriesRef>()

  return async () => {
    await samples.whenFilled()
    const previous = written
    const current = new Map<string, SeriesRef>()
    for (const { id } of await listOrganizations(deps.db.read)) {
      if (isClosing()) return
      const write = (name: string, labels: string, value: number) => {
        const key = `${id} ${name}{${labels}}`
        const known = previous.get(key)
        const ref = known && !known.isRemoved ? known : samples.refOf(id, labelsIn(name, labels))
        samples.appendTo(ref, deps.clock.now(), value)
        current.set(key, ref)
      }
      try {
        samples.assertRoom()
        await addSloSeries({ ...deps, maxSlos }, familiesTo(write), id)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        log.warn('series of SLOs cannot be written to the embedded source', { organization_id: id, error })
      }
    }
    for (const [key, ref] of previous) {
      if (!current.has(key) && !ref.isRemoved) samples.appendTo(ref, deps.clock.now(), 'stale')
    }
    written = current
  }
}

/** Families whose samples are passed to `write`; nothing is encoded. */
function familiesTo(write: (name: string, labels: string, value: number) => void): Families {
  return {
    family:
      (name) =>
      (value, labels = '') =>
        write(name, labels, value),
    pack() {},
    bytesAfter: () => new Uint8Array(),
  }
}

/** Labels of a series from the output of `labelText`. */
function labelsIn(name: string, text: string): Label[] {
  const pairs = text.matchAll(/([^=,]+)="((?:[^"\\]|\\.)*)"/g)
  return [['__name__', name], ...pairs.map(([, label = '', value = '']): Label => [label, unescaped(value)])]
}

function unescaped(value: string): string {
  return value.replace(/\\([\\n"])/g, (_, char) => (char === 'n' ? '\n' : char))
}
