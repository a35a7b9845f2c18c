import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A memory cgroup for one program. `through`: command that starts the program in it. */
export type MemoryBound = { through: string[]; wasKilled(): boolean; remove(): void }

/** Undefined if this machine does not allow it (not Linux, not root, no cgroups). */
export function boundMemory(bytes: number): MemoryBound | undefined {
  try {
    const [parent, isV2] = ownGroup()
    const folder = join(parent, `nines-${process.pid}-${crypto.randomUUID().slice(0, 8)}`)
    mkdirSync(folder)
    writeFileSync(join(folder, isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(bytes))
    const killed = () =>
      /^oom_kill ([1-9]\d*)$/m.test(readFileSync(join(folder, isV2 ? 'memory.events' : 'memory.oom_control'), 'utf8'))
    return {
      through: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'],
      wasKilled: killed,
      remove: () => rmdirSync(folder),
    }
  } catch {
    return undefined
  }
}

/** The cgroup folder of this process; true for cgroups of version 2. */
function ownGroup(): [folder: string, isV2: boolean] {
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const v1 = /^\d+:memory:(.+)$/m.exec(groups)?.[1]
  if (v1 !== undefined) {
    const folder = join('/sys/fs/cgroup/memory', v1)
    return [existsSync(folder) ? folder : '/sys/fs/cgroup/memory', false]
  }
  const own = /^0::(.+)$/m.exec(groups)?.[1] ?? '/'
  return [join('/sys/fs/cgroup', basename(own) === '' ? '' : own), true]
}
