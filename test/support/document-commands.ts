import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeLater } from './closing.ts'

const root = join(import.meta.dir, '..', '..')

/** The blocks of commands for a shell of a document, such as README.md. */
export const blocksOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text.trim())

/**
 * Runs a command of a document by a shell in the clone, in a data folder of its own, and waits for a text on its output. All that
 * it has started ends after the test: npm and nines are children of the shell, and run on if only the shell is ended.
 */
export async function started(command: string, expected: RegExp): Promise<RegExpExecArray> {
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

/** Output of a script that a shell runs. */
export const output = async (script: string) => new Response(Bun.spawn(['sh', '-c', script]).stdout).text()
