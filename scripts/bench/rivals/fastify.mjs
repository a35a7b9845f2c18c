// @ts-nocheck -- its packages are there only where the bench has installed them
import jwt from '@fastify/jwt'
import Database from 'better-sqlite3'
import fastify from 'fastify'

/**
 * Competitor for `GET /slos/:id`: Fastify with @fastify/jwt, which caches tokens, and one prepared statement of better-sqlite3,
 * on the Node of the machine. Arguments: the JWT secret, a copy of the database of nines. Prints its address.
 */
const [secret, path] = process.argv.slice(2)
const slo = new Database(path, { readonly: true }).prepare('select * from slos where organization_id = ? and id = ?')
const app = fastify()
app.register(jwt, { secret, verify: { cache: true, allowedIss: 'nines' } })
app.get('/slos/:id', { onRequest: (request) => request.jwtVerify() }, (request, reply) => {
  const row = slo.get(request.user.organization_id, Number(request.params.id))
  return row ?? reply.code(404).send({ success: false, error: 'SLO not found' })
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${address}\n`)
