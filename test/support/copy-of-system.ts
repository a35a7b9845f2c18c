import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './process.ts'

/** True if this process may mount an overlay in a namespace of its own, as `inCopyOfSystem` does. */
export const mayCopySystem =
  Bun.spawnSync([
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w o /mnt/m',
  ]).exitCode === 0

/** Runs lines of a shell in a copy of this system that is gone afterwards; `$1`, `$2`: the packages. */
export function inCopyOfSystem(lines: string, ...packages: string[]): string {
  const folder = newFolder()
  for (const name of ['tmpfs', 'root']) mkdirSync(join(folder, name))
  const script = `set -e
    mount -t tmpfs tmpfs ${folder}/tmpfs
    mkdir ${folder}/tmpfs/upper ${folder}/tmpfs/work
    mount -t overlay -o lowerdir=/,upperdir=${folder}/tmpfs/upper,workdir=${folder}/tmpfs/work overlay ${folder}/root
    cp "$@" ${folder}/root/
    cat > ${folder}/root/lines
    exec chroot ${folder}/root sh -e /lines`
  const names = packages.map((path) => `/${path.split('/').at(-1)}`)
  const stdin = Buffer.from(`set -- ${names.join(' ')}\n${lines}\n`)
  const { stdout, stderr, exitCode } = Bun.spawnSync(['unshare', '--mount', 'sh', '-c', script, 'sh', ...packages], {
    stdin,
  })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}
