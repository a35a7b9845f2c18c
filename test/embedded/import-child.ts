import { createReadStream } from 'node:fs'
import { systemClock } from '../../src/clock.ts'
import { openSamples } from '../../src/db/open-samples.ts'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { createSampleStore } from '../../src/embedded/store/sample-store.ts'

/** A child process that may be killed: imports a file and prints after each flush the number of samples on disk. */
const [dataDir = '', file = ''] = process.argv.slice(2)
const [clock, keepMs] = [systemClock, 1e12]
const store = createSampleStore({ file: openSamples(dataDir), clock, keepMs, maxBytes: 1e12 })
await importSamples({
  store,
  organizationId: 1,
  chunks: createReadStream(file, { highWaterMark: 16_384 }),
  clock,
  keepMs,
  flushEvery: 1000,
  onProgress: ({ samples }) => process.stdout.write(`${samples}\n`),
})
store.close()
