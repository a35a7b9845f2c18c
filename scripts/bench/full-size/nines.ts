import { openNines } from '../support/nines-here.ts'
import { maxGapMs } from '../support/stall.ts'

/** Messages to nines: start watching the event loop; report its longest stall since then. */
export type ToNines = 'watch' | 'tell'
/** Messages from nines: first its address, then `'watching'` or milliseconds. */
export type FromNines = string | number

// nines in a separate process; argument: the data folder.
const [dataDir = ''] = process.argv.slice(2)
const { listen } = openNines({ DATA_DIR: dataDir, EVALUATION_INTERVAL: '0', REGISTRATION: 'open' })
let watched: Promise<number> | undefined
let stop = () => {}

process.on('message', (message: ToNines) => {
  if (message === 'watch') {
    const { promise, resolve } = Promise.withResolvers<void>()
    stop = resolve
    watched = maxGapMs(() => promise)
    process.send?.('watching')
  } else {
    stop()
    void watched?.then((ms) => process.send?.(ms))
  }
})
process.send?.(listen())
