import { join } from 'node:path'

export type Child = ReturnType<typeof start>

/** A script of `scripts/bench` (its path in there) as a process of its own; `next` gives what it says, in order, and rejects once it has ended. */
export function start(script: string, ...args: string[]) {
  const said: unknown[] = []
  let wake = () => {}
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', script), ...args], {
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
