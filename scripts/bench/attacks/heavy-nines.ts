import { serveWith } from '../../../src/cli/serve.ts'
import { catchStopSignals } from '../../../src/cli/stop-signal.ts'
import { readConfig } from '../../../src/config.ts'
import { maxTurnMs } from '../support/stall.ts'

/**
 * nines as a server, with environment variables from the argument (JSON). Sends its address to the parent, and on each message
 * the longest turn of its event loop since the previous one, in milliseconds of CPU time.
 */
const variables = JSON.parse(process.argv[2] ?? '') as Record<string, string>
const wait = () => new Promise((resolve) => process.once('message', resolve))

catchStopSignals()
await serveWith(readConfig({ PORT: '0', LOG_LEVEL: 'warn', ...variables }), async (_, { url }) => {
  process.send?.(url)
  void sayStalls()
})

async function sayStalls(): Promise<void> {
  for (;;) process.send?.(await maxTurnMs(wait))
}
