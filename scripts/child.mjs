import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a program until it ends and resolves to its exit code (128 + n for signal n). Signals are forwarded to the program and
 * its children. They run in their own process group: one Ctrl-C reaches this process twice (from the terminal and from npm),
 * and nines exits immediately on a second signal.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onStderr?: (chunk: Buffer) => void }} [options]
 * @returns {Promise<number>}
 */
export function runChild(command, args, { onStderr, ...options } = {}) {
  const child = spawn(command, args, {
    ...options,
    stdio: ['inherit', 'inherit', onStderr ? 'pipe' : 'inherit'],
    detached: true,
  })
  if (onStderr) child.stderr?.on('data', onStderr)
  let lastMs = 0
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => {
    if (child.pid === undefined || Date.now() - lastMs < 300) return
    lastMs = Date.now()
    process.kill(-child.pid, signal)
  }
  for (const signal of passedOn) process.on(signal, passOn)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const each of passedOn) process.off(each, passOn)
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 1))
    })
  })
}
