import { boundMemory } from './cli/bound-memory.ts'
import { takeConfigFile } from './cli/settings/config-argument.ts'
import { catchStopSignals } from './cli/stop-signal.ts'

const args = process.argv.slice(2)
const [command = 'serve'] = takeConfigFile(args).args
// First, because a server may be stopped while it is still being loaded. Other commands end with the signal.
if (command === 'serve' || command === 'demo') {
  boundMemory()
  catchStopSignals()
}

// Without `production`, Elysia repeats a wrong value in its error several times, indented. It reads the variable once, on load, so
// the rest is imported afterwards. The name is in brackets because the bundler replaces `process.env.NODE_ENV` with a text.
process.env['NODE_ENV'] = 'production'
const { run } = await import('./cli/run.ts')

// The executable starts with a delayed JIT (scripts/compile.mjs), which is good for startup only.
setTimeout(() => Bun.unsafe.setJITPolicy(1), 500).unref()

process.exitCode = await run(args)
