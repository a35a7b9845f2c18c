import { readdirSync, readFileSync } from 'node:fs'
import type { Families } from './families.ts'

/**
 * What the process takes, in the names every Prometheus client has for it. Only what is true of Bun: prom-client's own
 * list has heaps of V8 here, all of them empty, and 6 GB of address space that nobody uses as the size of the heap.
 */
export function addProcess({ family }: Families): void {
  const { user, system } = process.cpuUsage()
  family('process_cpu_seconds_total', 'counter', 'User and system CPU time spent, in seconds.')((user + system) / 1e6)
  family(
    'process_start_time_seconds',
    'gauge',
    'When the process began, in seconds since the Unix epoch.',
  )(Math.round(performance.timeOrigin) / 1000)
  family('process_resident_memory_bytes', 'gauge', 'Memory of the process that is in RAM.')(process.memoryUsage.rss())
  if (process.platform !== 'linux') return
  family('process_open_fds', 'gauge', 'Open file descriptors.')(readdirSync('/proc/self/fd').length - 1) // its own
  const most = maxDescriptors()
  if (most !== undefined) family('process_max_fds', 'gauge', 'File descriptors that may be open.')(most)
}

/** How many file descriptors may be open; undefined where that is not known. */
export function maxDescriptors(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
  return most === undefined ? undefined : Number(most)
}
