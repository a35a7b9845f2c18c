import { readdirSync, readFileSync } from 'node:fs'
import type { Families } from './families.ts'

/**
 * Adds the process metrics that are meaningful for Bun, under the names that every Prometheus client uses. prom-client's own
 * list would report empty V8 heaps and 6 GB of unused address space as the heap size.
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
  family('process_open_fds', 'gauge', 'Open file descriptors.')(readdirSync('/proc/self/fd').length - 1) // minus readdir's own
  const maxFds = maxDescriptors()
  if (maxFds !== undefined) family('process_max_fds', 'gauge', 'File descriptors that may be open.')(maxFds)
}

/** Maximum number of open file descriptors; undefined if not known. */
export function maxDescriptors(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
  return max === undefined ? undefined : Number(max)
}
