import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const shared = fileURLToPath(new URL('deb', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const spec = fileURLToPath(new URL('rpm/nines.spec', import.meta.url))

/** Files of the package beside the executable. Who owns them is in the spec. */
const files = [
  { to: 'usr/lib/systemd/system/nines.service', from: join(shared, 'nines.service') },
  { to: 'etc/nines/nines.env', from: join(shared, 'nines.env') },
  { to: 'usr/share/doc/nines/THIRD-PARTY-NOTICES.txt', from: join(root, 'THIRD-PARTY-NOTICES.txt') },
  { to: 'usr/share/doc/nines/CHANGELOG.md', from: join(root, 'CHANGELOG.md') },
]

/**
 * Makes an RPM package of an executable, with `rpmbuild` (Debian: `rpm`). The same input gives the same file, since the times in
 * it are `epochSeconds`.
 * @param {{ executable: string, version: string, architecture: 'x86_64' | 'aarch64', outfile: string, epochSeconds: number }} options
 */
export function makeRpm({ executable, version, architecture, outfile, epochSeconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'nines-rpm-'))
  try {
    const stage = join(folder, 'stage')
    for (const { to, from } of [{ to: 'usr/bin/nines', from: executable }, ...files]) {
      const path = join(stage, to)
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
      copyFileSync(from, path)
      chmodSync(path, to === 'usr/bin/nines' ? 0o755 : 0o644)
    }
    mkdirSync(join(stage, 'var/lib/nines'), { recursive: true })
    const text = readFileSync(spec, 'utf8').replaceAll('@VERSION@', version).replaceAll('@STAGE@', stage)
    writeFileSync(join(folder, 'nines.spec'), text)
    const defined = Object.entries({
      _topdir: folder,
      _rpmdir: folder,
      _rpmfilename: 'made.rpm',
      _buildhost: 'localhost',
      use_source_date_epoch_as_buildtime: '1',
      clamp_mtime_to_source_date_epoch: '1',
    }).flatMap(([name, value]) => ['--define', `${name} ${value}`])
    const args = ['-bb', '--quiet', '--target', `${architecture}-linux`, ...defined, join(folder, 'nines.spec')]
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds), LC_ALL: 'C' }
    const { status, error, stderr } = spawnSync('rpmbuild', args, { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`rpmbuild failed: ${error?.message ?? stderr}`)
    if (!readdirSync(folder).includes('made.rpm')) throw new Error(`rpmbuild made no package: ${stderr}`)
    copyFileSync(join(folder, 'made.rpm'), outfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
