import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRpm } from '../../scripts/release/rpm.mjs'
import { closeAll } from '../support/closing.ts'
import { inCopyOfSystem, mayCopySystem } from '../support/copy-of-system.ts'
import { newFolder } from '../support/process.ts'
import { runCommand } from '../support/run-command.ts'

const isWithout = Bun.which('rpmbuild') === null
const isSkipped = isWithout && process.env['CI'] !== 'true'
if (isSkipped) process.stderr.write('Skipped, "the RPM package": rpmbuild is not installed\n')

afterEach(closeAll)

/** A package of a small program in place of nines: it holds the same files otherwise. */
function packed({ version = '0.1.0', architecture = 'x86_64' as const }: Partial<Parameters<typeof makeRpm>[0]> = {}) {
  const folder = newFolder()
  const executable = join(folder, 'program')
  writeFileSync(executable, `#!/bin/sh\necho ${version}\n`)
  const outfile = join(folder, `nines-${version}-1.${architecture}.rpm`)
  makeRpm({ executable, version, architecture, outfile, epochSeconds: 1_790_000_000 })
  return outfile
}

describe.skipIf(isSkipped)('the RPM package', () => {
  test('holds these files, with these owners and permissions', () => {
    const format = '[%{FILEMODES:perms} %{FILEUSERNAME}:%{FILEGROUPNAME} %{FILENAMES}\n]'
    expect(runCommand('rpm', '-qp', '--qf', format, packed()).trim().split('\n').toSorted()).toEqual([
      '-rw-r----- root:nines /etc/nines/nines.env',
      '-rw-r--r-- root:root /usr/lib/systemd/system/nines.service',
      '-rw-r--r-- root:root /usr/share/doc/nines/CHANGELOG.md',
      '-rw-r--r-- root:root /usr/share/doc/nines/THIRD-PARTY-NOTICES.txt',
      '-rwxr-xr-x root:root /usr/bin/nines',
      'drwx------ nines:nines /var/lib/nines',
      'drwxr-xr-x root:root /etc/nines',
      'drwxr-xr-x root:root /usr/share/doc/nines',
    ])
  })

  test('says what it needs, for both architectures, and keeps changed settings', () => {
    for (const architecture of ['x86_64', 'aarch64'] as const) {
      const file = packed({ architecture })
      expect(runCommand('rpm', '-qp', '--qf', '%{NAME} %{VERSION} %{ARCH}', file)).toBe(`nines 0.1.0 ${architecture}`)
      expect(runCommand('rpm', '-qp', '--requires', file)).toContain('glibc >= 2.34')
      expect(runCommand('rpm', '-qp', '--configfiles', file)).toBe('/etc/nines/nines.env\n')
    }
  })

  test('is the same file for the same input', () => {
    expect(readFileSync(packed()).equals(readFileSync(packed()))).toBe(true)
  })

  test.skipIf(!mayCopySystem)('is installed, upgraded and removed, and leaves data and changed settings', () => {
    const lines = `
      rpm -i --nodeps "$1"
      getent passwd nines | cut -d: -f1,6,7
      stat -c '%A %U:%G' /var/lib/nines /etc/nines/nines.env
      nines
      echo LOG_LEVEL=debug >> /etc/nines/nines.env
      echo precious > /var/lib/nines/nines.db
      rpm -U --nodeps "$2"
      nines
      tail -n 1 /etc/nines/nines.env
      rpm -e nines
      cat /var/lib/nines/nines.db
      ls /etc/nines /usr/bin/nines 2>&1 || true`
    const said = inCopyOfSystem(lines, packed(), packed({ version: '0.2.0' }))
      .trim()
      .split('\n')
    expect(said).toEqual([
      'nines:/var/lib/nines:/sbin/nologin',
      'drwx------ nines:nines',
      '-rw-r----- root:nines',
      '0.1.0',
      '0.2.0',
      'LOG_LEVEL=debug',
      'precious',
      expect.stringContaining("'/usr/bin/nines': No such file or directory"),
      '/etc/nines:',
      'nines.env.rpmsave',
    ])
  })
})
