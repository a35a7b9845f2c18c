import { afterEach, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll } from '../support/closing.ts'
import { blocksOf, output, started } from '../support/document-commands.ts'
import { newFolder, register, startNines } from '../support/process.ts'
import { s3Keys, startS3 } from '../support/s3-server.ts'

const docs = join(import.meta.dir, '..', '..', 'docs')
const blocks = readdirSync(docs)
  .filter((name) => name.endsWith('.md') && name !== 'get-started.md') // of that one see readme.proof.ts
  .flatMap((name) => blocksOf(`docs/${name}`))
const ofApi = blocks.filter((text) => /^(?:curl|nines annotate) /.test(text))
const ofFiles = blocks.filter((text) => /^nines (?:backup|restore|bucket) /.test(text))
const ofSenders = blocks.filter((text) => text.startsWith('vmagent '))
/** Settings, what `.ci/run` runs or what measures, and a download. */
const isNotRun = /^(?:[A-Z_]+=|export OTEL_|npm run |haveibeenpwned-downloader )/

afterEach(closeAll)

/** Runs a script in a folder, with `nines` on the path. `curl` fails if it is refused. */
async function run(script: string, folder: string, env: Record<string, string> = {}) {
  const nines = join(folder, 'nines')
  if (!existsSync(nines)) symlinkSync(process.env['NINES_BIN'] ?? '', nines)
  const failing = 'curl() { command curl -sS --fail-with-body "$@"; }'
  const args = ['sh', '-c', `set -e\n${failing}\n${script}`]
  const child = Bun.spawn(args, {
    cwd: folder,
    env: { PATH: `${folder}:${process.env['PATH']}`, ...env },
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { script, out, err, code }
}

describe('the commands of the documents', () => {
  test('are run here, but for some', () => {
    const others = blocks.filter((text) => ![...ofApi, ...ofFiles, ...ofSenders].includes(text))
    expect(others.filter((text) => !isNotRun.test(text))).toEqual([])
    expect([ofApi.length, ofFiles.length, ofSenders.length].every((count) => count > 0)).toBe(true)
  })

  test('that call the API are accepted as written, by a nines that has what they name', async () => {
    const printed = /password +(\S+)[^]*?(http:\/\/[^\s/]+)\/demo-login#\S+/
    const [, password = '', url = ''] = await started('npm start', printed)
    const [signIn = ''] = blocksOf('docs/get-started.md')
    const address = signIn.replaceAll('http://localhost:8080', url).replace('"PASSWORD"', JSON.stringify(password))
    const token = await output(`${address}\nprintf %s "$token"`)
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const team = { method: 'POST', headers, body: JSON.stringify({ name: 'Shop' }) }
    expect((await fetch(`${url}/api/v1/organization/teams`, team)).status).toBe(201)
    const folder = newFolder()
    writeFileSync(join(folder, 'token'), token)
    const lastMonth = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 8)
    const isRefused: object[] = []
    for (const text of ofApi) {
      const script = text
        .replaceAll(/http:\/\/localhost:8080|https:\/\/nines\.example\.com/g, url)
        .replaceAll(/2026-1[01]-/g, lastMonth) // nothing is corrected of long ago
        .replaceAll('/etc/nines-token', join(folder, 'token'))
      const ended = await run(`token=${token}\n${script}`, folder)
      if (ended.code !== 0) isRefused.push(ended)
    }
    expect(isRefused).toEqual([])
    for (const text of ofSenders) {
      const script = text.replaceAll('http://localhost:8080', url).replaceAll('/etc/nines-token', join(folder, 'token'))
      const { code } = await run(`timeout 2 ${script} -httpListenAddr=127.0.0.1:0`, folder)
      expect(code).toBe(124) // it ran until it was ended
    }
  })

  test('that back up lead into other data folders, through a file, a folder and a bucket', async () => {
    const { url } = startS3()
    const folder = newFolder()
    const backups = join(folder, 'backups')
    const served = join(folder, 'served')
    mkdirSync(backups)
    const nines = await startNines({ dataDir: served, env: {} })
    await register(nines, 'ada')
    const named = 'nines-20261129T021500Z.tar.zst'
    const env = {
      BACKUP_DIR: backups,
      BACKUP_S3_URL: url,
      BACKUP_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      BACKUP_S3_REGION: s3Keys.region,
    }
    const own = join(backups, 'nines.tar.zst')
    expect(await run(`nines backup ${own}`, folder, { DATA_DIR: served })).toMatchObject({ code: 0 })
    copyFileSync(own, join(backups, named)) // as the schedule would have made it
    expect(await run(`nines bucket put ${join(backups, named)}`, folder, env)).toMatchObject({ code: 0 })
    let restored = 0
    for (const line of ofFiles.flatMap((text) => text.split('\n'))) {
      if (line.startsWith('nines restore')) restored += 1
      const dataDir = line.startsWith('nines backup') ? served : join(folder, `restored-${restored}`)
      const script = line.replaceAll('/backups/', `${backups}/`)
      expect(await run(script, folder, { ...env, DATA_DIR: dataDir })).toMatchObject({ script, code: 0 })
      if (line.startsWith('nines restore'))
        expect([line, existsSync(join(dataDir, 'nines.db'))]).toEqual([line, !line.includes('--dry-run')])
    }
    expect(existsSync(join(folder, named))).toBe(true)
  })
})
