import { openSession } from '../../../src/auth/sessions/sessions.ts'
import { insertUser } from '../../../src/auth/accounts/store.ts'
import { checkout, openNines } from '../support/nines-here.ts'
import { signUp } from '../support/processes.ts'
import { type FromServer, pace, type ToServer } from './pace.ts'

/** nines, with updates published to its hub as the evaluator does. Arguments: number of SLOs, number of users. */
const [slos = 0, users = 0] = process.argv.slice(2).map(Number)
const nines = openNines({ SOURCE_URL: 'embedded' })
const { app } = nines
const ready: FromServer = { tokens: await populate(), url: nines.listen() }

process.on('message', ({ load }: ToServer) => {
  const { hub } = app
  void pace(load, (update) => hub.publish(update, { isEvaluation: true }), hub.connections)
})
process.send?.(ready)

/** Creates an organization with SLOs and users; returns a token of each user. */
async function populate(): Promise<string[]> {
  const { send } = await signUp(nines)
  await send('POST', '/api/v1/slos', checkout)
  const { db } = app
  const { id: _, ...row } = await db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
  for (let made = 1; made < slos; made += 1) await db.write.insertInto('slos').values(row).execute()
  const { id: __, ...first } = await db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  const tokens = []
  for (let user = 0; user < users; user += 1) {
    const email = `bench-${user}@example.com`
    const added = await insertUser(db.write, { ...first, email, email_key: email })
    tokens.push((await openSession(app, added)).access_token)
  }
  return tokens
}
