import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const templates = fileURLToPath(new URL('deb', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files of the package: where they are made from, and their mode. */
const files = [
  { to: 'usr/lib/systemd/system/nines.service', from: join(templates, 'nines.service'), mode: 0o644 },
  { to: 'etc/nines/nines.env', from: join(templates, 'nines.env'), mode: 0o640 },
  { to: 'usr/share/doc/nines/copyright', from: join(root, 'THIRD-PARTY-NOTICES.txt'), mode: 0o644 },
  { to: 'usr/share/doc/nines/changelog', from: join(root, 'CHANGELOG.md'), mode: 0o644 },
  ...['postinst', 'prerm', 'postrm'].map((name) => ({
    to: `DEBIAN/${name}`,
    from: join(templates, name),
    mode: 0o755,
  })),
]

/**
 * Makes a Debian package of an executable, with `dpkg-deb`. The same input gives the same file, since the times in it are
 * `epochSeconds`.
 * @param {{ executable: string, version: string, architecture: 'amd64' | 'arm64', outfile: string, epochSeconds: number }} options
 */
export function makeDeb({ executable, version, architecture, outfile, epochSeconds }) {
  const stage = mkdtempSync(join(tmpdir(), 'nines-deb-'))
  try {
    chmodSync(stage, 0o755)
    for (const { to, from, mode } of [{ to: 'usr/bin/nines', from: executable, mode: 0o755 }, ...files]) {
      const path = join(stage, to)
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
      copyFileSync(from, path)
      chmodSync(path, mode)
    }
    const kilobytes = Math.ceil(statSync(executable).size / 1024)
    writeFileSync(join(stage, 'DEBIAN', 'conffiles'), '/etc/nines/nines.env\n')
    writeFileSync(join(stage, 'DEBIAN', 'control'), controlOf(version, architecture, kilobytes))
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) }
    const args = ['--root-owner-group', '-Zxz', '-z6', '--build', stage, outfile]
    const { status, error, stderr } = spawnSync('dpkg-deb', args, { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`dpkg-deb failed: ${error?.message ?? stderr}`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/**
 * @param {string} version
 * @param {string} architecture
 * @param {number} kilobytes
 */
function controlOf(version, architecture, kilobytes) {
  return `Package: nines
Version: ${version}
Architecture: ${architecture}
Maintainer: nines <nines@localhost>
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.34), libstdc++6, passwd
Recommends: ca-certificates, iputils-ping, tzdata
Section: net
Priority: optional
Description: service level objectives and error budgets
 Self-hosted appliance that computes SLIs, error budgets and burn rates from any
 Prometheus-compatible source, and notifies. One executable with its database
 inside; data in /var/lib/nines, settings in /etc/nines/nines.env.
`
}
