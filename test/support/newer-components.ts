import { describe } from 'bun:test'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describeOnBed, type Programs } from './kit.ts'

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'nines-components')

/** Paths of the programs that `scripts/newer-components.sh` unpacks: the versions that nines is compared with. */
export const newer = {
  prometheus: join(cache, 'prometheus-3.5'),
  promtool: join(cache, 'promtool-3.5'),
  victoria: join(cache, 'victoria-metrics-1.145'),
} satisfies Programs

const missing = Object.values(newer).filter((program) => !existsSync(program))

/** Describes tests that need these programs. Without them they are skipped with a message, or fail in CI. */
export function describeOnNewer(name: string, tests: () => void) {
  const skipped = missing.length > 0 && process.env['CI'] !== 'true'
  if (!skipped) return describeOnBed(name, tests)
  const advice = 'run scripts/newer-components.sh, which unpacks them from Debian packages'
  process.stderr.write(`Skipped, "${name}": missing ${missing.join(', ')}; ${advice}\n`)
  describe.skip(name, tests)
}
