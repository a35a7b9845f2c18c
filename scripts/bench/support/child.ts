import { join } from 'node:path'

export type Child = ReturnType<typeof start>

/**
 * Starts a script (path inside `scripts/bench`) as a separate process. `next` returns its messages in order, and rejects once
 * it has ended.
 */
export function start(script: string, ...args: string[]) {
  return startWith(process.env, script, ...args)
}

export type Environment = Record<string, string | undefined>

/** Like `start`, with an environment of its own. */
export function startWith(env: Environment, script: string, ...args: string[]) {
  const said: unknown[] = []
  let wake = () => {}
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', script), ...args], {
    env,
    stdout: 'inherit',
    stderr: 'inherit',
    ipc(message) {
      said.push(message)
      wake()
    },
  })
  return {
    pid: child.pid,
    send: (message: unknown) => child.send(message),
    stop: () => child.kill(),
    exited: child.exited,
    async next<T>(): Promise<T> {
      if (said.length === 0) {
        const woken = new Promise<void>((resolve) => (wake = resolve))
        await Promise.race([woken, child.exited])
        if (said.length === 0) throw new Error(`${script} has ended`)
      }
      return said.shift() as T
    },
  }
}

/**
 * Runs a script of `scripts/bench` in a separate process with an empty environment, and parses the JSON that it prints; throws
 * if the script fails.
 */
export async function printedBy<T>(script: string, ...args: string[]): Promise<T> {
  const command = [process.execPath, join(import.meta.dir, '..', script), ...args]
  const child = Bun.spawn(command, { env: {}, stdout: 'pipe', stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${script} has failed`)
  return JSON.parse(printed) as T
}
