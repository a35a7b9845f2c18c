import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { TestApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command } from '../support/process.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
let url: string
let tokenFile: string
beforeEach(async () => {
  nines = await joinedApp()
  closeLater(() => nines.close())
  await nines.call('POST', '/api/v1/slos', { ...checkout, labels: { service: 'checkout', tier: '1' } })
  const made = { name: 'ci', role: 'member', scope: 'annotate' }
  const { token } = (await nines.call('POST', '/api/v1/auth/tokens', made)).body
  url = nines.listen()
  tokenFile = join(nines.dataDir, 'token')
  await Bun.write(tokenFile, `${token}\n`)
})
afterEach(closeAll)

async function annotate(args: string[], stdin = '') {
  const child = Bun.spawn([...command, 'annotate', ...args], {
    env: {},
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  closeLater(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}
const stored = () => nines.app.db.read.selectFrom('annotations').selectAll().execute()

test('nines annotate reports a deploy and says how many SLOs it matches', async () => {
  const args = [
    '--service',
    'checkout',
    '--version',
    'v1.4.2',
    '--link',
    'https://ci.example.com/812',
    '--label',
    'tier=1',
  ]
  expect(await annotate(['--url', `${url}/`, '--token-file', tokenFile, ...args])).toEqual({
    out: 'annotation 1 matches 1 SLO\n',
    err: '',
    code: 0,
  })
  expect(await stored()).toMatchObject([
    {
      kind: 'deploy',
      version: 'v1.4.2',
      url: 'https://ci.example.com/812',
      labels: '{"tier":"1","service":"checkout"}',
      at: nines.clock.now(),
    },
  ])
})

test('the token may come from stdin, and the kind and time are as given', async () => {
  const at = new Date(nines.clock.now() - 60_000).toISOString()
  const args = ['--kind', 'note', '--service', 'cart', '--text', 'Sale begins', '--at', at]
  const token = await Bun.file(tokenFile).text()
  expect(await annotate(['--url', url, '--token-file', '-', ...args], token)).toMatchObject({
    out: 'annotation 1 matches 0 SLOs\n',
    code: 0,
  })
  expect(await stored()).toMatchObject([{ kind: 'note', text: 'Sale begins', at: Date.parse(at) }])
})

test('what is refused or cannot be reached is said, without the token', async () => {
  const common = ['--token-file', tokenFile, '--service', 'checkout']
  const refused = await annotate(['--url', url, ...common, '--kind', 'release'])
  expect(refused).toEqual({
    out: '',
    err: 'nines: HTTP 400: kind: must be one of deploy, change, note, got "release"\n',
    code: 1,
  })
  const absent = await annotate(['--url', 'http://127.0.0.1:1', ...common])
  expect(absent).toMatchObject({
    err: expect.stringMatching(/^nines: http:\/\/127.0.0.1:1 does not answer: /),
    code: 1,
  })
  expect(await stored()).toEqual([])
})

test.each([
  [[], '--url must be the address of nines, as in https://nines.example.com'],
  [['--url', 'ftp://x'], '--url must be the address of nines, as in https://nines.example.com, got "ftp://x"'],
  [['--url', 'ftp://a:b@x'], '--url must be the address of nines, as in https://nines.example.com'],
  [['--url', 'https://ci:secret@x'], '--url must be without a name and password'],
  [['--url', 'http://x'], '--token-file must be a file with an API token, or - for stdin'],
  [['--url', 'http://x', '--token-file', 'x'], '--service or --label must say which SLOs it is about'],
  [['--url', 'http://x', '--token-file', 'x', '--label', '=x'], '--label must be name=value, got "=x"'],
  [['--urls', 'x'], "Unknown option '--urls'"],
])('%j is refused with the usage', async (args, message) => {
  const { err, code } = await annotate(args)
  expect([err.split('\n')[0], code]).toEqual([`nines: ${message}`, 2])
})
