import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSeconds } from '../bench/support/load.ts'
import type { World } from '../../test/chaos/world.ts'

/** Resource usage of nines at a time. `anonMb`: allocated memory; `rssMb`: with mapped files; both in MiB. */
export type Sample = {
  life: number
  ageSeconds: number
  anonMb: number
  rssMb: number
  descriptors: number
  cpuSeconds: number
  /** Seconds that the main thread ran, and seconds that it was ready to run but other processes had the CPU. */
  ranSeconds: number
  waitedSeconds: number
  /** Bytes by file name. */
  files: Map<string, number>
}

const mb = 1024 * 1024

/** Returns a sampler, which reads /proc and the data folder; null while nines is not running. */
export function createSampler(world: World) {
  let [pid, life, bornMs] = [0, 0, 0]
  return (): Sample | null => {
    const nines = world.nines()
    if (!nines) return null
    if (nines.pid !== pid) [pid, life, bornMs] = [nines.pid, life + 1, performance.now()]
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
      const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ').map(Number)
      return {
        life,
        ageSeconds: (performance.now() - bornMs) / 1000,
        anonMb: megabytes('RssAnon'),
        rssMb: megabytes('VmRSS'),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        cpuSeconds: cpuSeconds(pid),
        ranSeconds: ran / 1e9,
        waitedSeconds: waited / 1e9,
        files: filesOf(world.dataDir),
      }
    } catch {
      return null // it has just ended
    }
  }
}

function filesOf(folder: string): Map<string, number> {
  const names = readdirSync(folder).filter((name) => /\.db(-wal)?$/.test(name))
  return new Map(names.map((name) => [name, statSync(join(folder, name)).size]))
}

/** Slope per hour by least squares; null for fewer than three points. */
export function slopePerHour(points: { seconds: number; value: number }[]): number | null {
  if (points.length < 3) return null
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(({ seconds }) => seconds)), mean(points.map(({ value }) => value))]
  const over = points.reduce((sum, { seconds, value }) => sum + (seconds - x) * (value - y), 0)
  const under = points.reduce((sum, { seconds }) => sum + (seconds - x) ** 2, 0)
  return under === 0 ? null : (over / under) * 3600
}

export const megabytesOf = (bytes: number) => bytes / mb
