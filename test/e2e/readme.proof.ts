import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'

const root = join(import.meta.dir, '..', '..')
const blocksOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text.trim())
const [demo = '', withSource = ''] = blocksOf('README.md')

afterEach(closeAll)

/**
 * Runs a command of a document by a shell in the clone, in a data folder of its own, and waits for a text on its output. All that
 * it has started ends after the test: npm and nines are children of the shell, and run on if only the shell is ended.
 */
async function started(command: string, expected: RegExp): Promise<RegExpExecArray> {
  const folder = mkdtempSync(join(tmpdir(), 'nines-readme-'))
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, DATA_DIR: folder, PORT: '0', LOG_FORMAT: 'text', EVALUATION_INTERVAL: '10' }
  const args = ['setsid', 'sh', '-c', command]
  const child = Bun.spawn(args, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
  const follow = async (stream: ReadableStream<Uint8Array>) => {
    for await (const part of stream) {
      said += Buffer.from(part).toString()
      const found = expected.exec(said)
      if (found) resolve(found)
    }
  }
  const ended = Promise.all([follow(child.stdout), follow(child.stderr)])
  void ended.then(() => reject(new Error(`it ended: ${said}`)))
  closeLater(async () => {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended // the last of its processes has closed its output
    rmSync(folder, { recursive: true, force: true })
  })
  return promise
}

const output = async (script: string) => new Response(Bun.spawn(['sh', '-c', script]).stdout).text()

describe('the commands of README.md', () => {
  test('are the two that are run here', () => {
    expect(blocksOf('README.md')).toEqual(['npm start', 'SOURCE_URL=http://localhost:9090 npm start'])
  })

  test('start the demo, whose four commands of docs/get-started.md lead to a budget', async () => {
    const printed = /password +(\S+)[^]*?(http:\/\/[^\s/]+)\/demo-login#\S+/
    const [, password = '', url = ''] = await started(demo, printed)
    expect((await fetch(`${url}/demo-login`)).status).toBe(200)
    const [signIn = '', preview = '', create = '', budget = ''] = blocksOf('docs/get-started.md')
      .slice(0, 4)
      .map((text) => text.replaceAll('http://localhost:8080', url).replace('"PASSWORD"', JSON.stringify(password)))
    const before = `${signIn}\n${preview.split('\ncurl')[0]}\n`
    const previewed = JSON.parse(await output(`${signIn}\n${preview}`))
    expect([previewed.status, previewed.problems]).toEqual(['healthy', []])
    expect(JSON.parse(await output(before + create))).toMatchObject({
      id: 8,
      name: 'Search within 500 ms',
      warnings: [],
    })
    const token = await output(`${signIn}\nprintf %s "$token"`)
    let answer: { sli: number | null; error_budget: unknown } = { sli: null, error_budget: null }
    while (answer.sli === null) {
      await Bun.sleep(100)
      answer = JSON.parse(await output(`token=${token}\n${budget}`))
    }
    expect(answer.error_budget).toMatchObject({ total: 1, percentage_used: expect.any(Number) })
  })

  test('start an empty nines on a source, whose page makes the first account', async () => {
    const source = fakeSource(() => 0.999)
    closeLater(() => source.close())
    const command = withSource.replace('http://localhost:9090', source.url)
    const [, url = ''] = await started(command, /listening on (http:\S+)/)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/register`)).text()).toContain('<title>')
  })
})
