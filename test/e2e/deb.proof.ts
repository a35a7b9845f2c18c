import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDeb } from '../../scripts/release/deb.mjs'
import { loadSettings } from '../../src/cli/settings/settings.ts'
import { readConfig } from '../../src/config.ts'
import { closeAll } from '../support/closing.ts'
import { inCopyOfSystem, mayCopySystem } from '../support/copy-of-system.ts'
import { newFolder } from '../support/process.ts'
import { runCommand } from '../support/run-command.ts'

afterEach(closeAll)

const hasDpkg = Bun.which('dpkg-deb') !== null || process.env['CI'] === 'true'
if (!hasDpkg) process.stderr.write('skipped without dpkg-deb: the Debian package\n')

/** A package of a small program in place of nines: it holds the same files otherwise. */
function packed(version = '0.1.0') {
  const folder = newFolder()
  const executable = join(folder, 'program')
  writeFileSync(executable, '#!/bin/sh\necho 0.1.0\n')
  const outfile = join(folder, `nines_${version}_amd64.deb`)
  makeDeb({ executable, version, architecture: 'amd64', outfile, epochSeconds: 1_790_000_000 })
  return outfile
}

describe.skipIf(!hasDpkg)('the Debian package', () => {
  test('holds these files, of root, with these permissions', () => {
    const lines = runCommand('dpkg-deb', '--contents', packed()).trim().split('\n')
    const listed = lines.map((line) => line.split(/\s+/)).map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`)
    expect(listed.filter((line) => line.startsWith('-')).toSorted()).toEqual([
      '-rw-r----- root/root ./etc/nines/nines.env',
      '-rw-r--r-- root/root ./usr/lib/systemd/system/nines.service',
      '-rw-r--r-- root/root ./usr/share/doc/nines/changelog',
      '-rw-r--r-- root/root ./usr/share/doc/nines/copyright',
      '-rwxr-xr-x root/root ./usr/bin/nines',
    ])
    for (const line of listed.filter((one) => one.startsWith('d'))) expect(line).toStartWith('drwxr-xr-x root/root')
  })

  test('keeps changed settings on an upgrade, and says what it needs', () => {
    const deb = packed()
    expect(runCommand('dpkg-deb', '--info', deb, 'conffiles')).toBe('/etc/nines/nines.env\n')
    expect(runCommand('dpkg-deb', '--field', deb, 'Version').trim()).toBe('0.1.0')
    expect(runCommand('dpkg-deb', '--field', deb, 'Depends')).toContain('libc6 (>= 2.34)')
    for (const script of ['postinst', 'prerm', 'postrm']) {
      const text = runCommand('dpkg-deb', '--info', deb, script)
      expect(text).toStartWith('#!/bin/sh\nset -e\n')
      const file = join(newFolder(), script)
      writeFileSync(file, text)
      runCommand('sh', '-n', file)
    }
  })

  test('is the same file for the same input', () => {
    expect(readFileSync(packed()).equals(readFileSync(packed()))).toBe(true)
  })

  test('has settings that nines accepts, and a unit that uses them', () => {
    const folder = newFolder()
    runCommand('dpkg-deb', '--extract', packed(), folder)
    const file = join(folder, 'etc/nines/nines.env')
    expect(readConfig(loadSettings({}, file).env)).toMatchObject({ dataDir: '/var/lib/nines', host: '127.0.0.1' })
    const commented = readFileSync(file, 'utf8').replaceAll(/^#(?=[A-Z_]+=)/gm, '')
    writeFileSync(file, commented)
    expect(readConfig(loadSettings({}, file).env)).toMatchObject({ backupDir: '/srv/backups' })
    const unit = readFileSync(join(folder, 'usr/lib/systemd/system/nines.service'), 'utf8')
    expect(unit).toContain('ExecStart=/usr/bin/nines serve --config /etc/nines/nines.env')
    expect(statSync(join(folder, 'usr/bin/nines')).mode & 0o111).toBe(0o111)
  })

  test.skipIf(!mayCopySystem)('starts when installed, upgraded, or installed again; a disabled one stays so', () => {
    const lines = `
      mkdir -p /run/systemd/system /etc/systemd/system/multi-user.target.wants
      link=/etc/systemd/system/multi-user.target.wants/nines.service
      cat > /usr/local/sbin/systemctl << 'END'
#!/bin/sh
echo "$*" >> /calls
link=/etc/systemd/system/multi-user.target.wants/nines.service
case "$*" in
  'enable --now nines') ln -s /usr/lib/systemd/system/nines.service "$link" ;;
  *is-enabled*) test -L "$link" ;;
esac
END
      chmod +x /usr/local/sbin/systemctl
      calls() { grep -v daemon-reload /calls | sed "s/^/$1: /" >&3; : > /calls; }
      exec 3>&1 > /dev/null
      dpkg -i "$1"; calls install
      dpkg -i "$2"; calls upgrade
      dpkg --remove nines; calls remove
      dpkg -i "$2"; calls again
      rm "$link"
      dpkg -i "$2"; calls disabled
      dpkg --purge nines; calls purge
      ls -d /etc/nines /var/lib/nines "$link" >&3 2> /dev/null || true`
    const said = inCopyOfSystem(lines, packed(), packed('0.2.0')).trim().split('\n')
    expect(said).toEqual([
      'install: enable --now nines',
      'upgrade: --quiet is-enabled nines',
      'upgrade: restart nines',
      'remove: stop nines',
      'again: --quiet is-enabled nines',
      'again: restart nines',
      'disabled: --quiet is-enabled nines',
      'disabled: try-restart nines',
      'purge: stop nines',
    ])
  })
})
