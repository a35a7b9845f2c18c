import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const idleMs = 1500

/**
 * Starts an executable of this platform in a new folder, and records in a file which functions it uses until it is idle.
 * `compile` places these together, so that less of the executable is loaded into memory. Throws if it does not start and stop.
 * @param {string} executable
 * @param {string} order
 */
export async function recordStart(executable, order) {
  const folder = mkdtempSync(join(tmpdir(), 'nines-build-'))
  const env = { PORT: '0', DATA_DIR: join(folder, 'data'), BUN_BYTECODE_ORDER_OUT: order }
  const child = spawn(executable, [], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  try {
    const ended = once(child, 'exit')
    for await (const chunk of child.stderr) {
      const isFirst = !said.includes('is listening')
      said += chunk
      if (isFirst && said.includes('is listening')) void sleep(idleMs).then(() => child.kill('SIGTERM'))
    }
    const [code] = await ended
    if (code !== 0) throw new Error(`${executable} did not start and stop:\n${said}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
