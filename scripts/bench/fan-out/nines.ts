import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, openApp } from '../../../src/app.ts'
import { openSession } from '../../../src/auth/sessions/sessions.ts'
import { insertUser } from '../../../src/auth/accounts/store.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { type FromServer, pace, type ToServer } from './pace.ts'

/** nines as it is, whose hub is told what an evaluator would say. Arguments: how many SLOs and users it shall have. */
const [slos = 0, users = 0] = process.argv.slice(2).map(Number)
const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
process.once('SIGTERM', () => process.exit(0))

const noLimits = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0' }
const app = openApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits }))
const server = createServer(app)
const ready: FromServer = { tokens: await populate(app), url: listen() }

process.on('message', ({ shape }: ToServer) => {
  const { hub } = app
  void pace(shape, (update) => hub.publish(update, { isEvaluation: true }), hub.connections)
})
process.send?.(ready)

function listen(): string {
  server.listen({ hostname: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${server.server?.port}`
}

/** One organization; gives a token of each of its users. */
async function populate({ db, ...rest }: App): Promise<string[]> {
  const send = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await server.handle(new Request(`http://nines/api/v1${path}`, init))
    return (await answer.json()) as { access_token: string }
  }
  const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }
  const { access_token: token } = await send('/auth/register', account)
  const slo = { name: 'a', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  await send('/slos', slo, token)
  const { id: _, ...row } = await db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
  for (let made = 1; made < slos; made += 1) await db.write.insertInto('slos').values(row).execute()
  const { id: __, ...first } = await db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  const tokens = []
  for (let user = 0; user < users; user += 1) {
    const email = `bench-${user}@example.com`
    const added = await insertUser(db.write, { ...first, email, email_key: email })
    tokens.push((await openSession({ db, ...rest }, added)).access_token)
  }
  return tokens
}
