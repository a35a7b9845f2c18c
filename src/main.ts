import { catchStopSignals } from './cli/stop-signal.ts'

const [command = 'serve', ...rest] = process.argv.slice(2)
// First of all: whoever starts a server may stop it while it is still being loaded. Other commands end with the signal.
if (command === 'serve' || command === 'demo') catchStopSignals()

// Else Elysia writes the whole of a wrong value into its error, several times and indented. It looks once, when it is loaded,
// which is why the rest is loaded afterwards. In brackets: the bundler puts a text in place of the plain name.
process.env['NODE_ENV'] = 'production'
const { run } = await import('./cli/run.ts')

// The executable begins with a JIT that waits longer (scripts/compile.mjs), which is good for a start only.
setTimeout(() => Bun.unsafe.setJITPolicy(1), 500).unref()

process.exitCode = await run([command, ...rest])
