import { jwt } from '@elysiajs/jwt'
import { Elysia } from 'elysia'
import { Database } from '../../../src/db/sqlite.ts'

/**
 * Baseline of `GET /slos/:id`: a bare Elysia route that returns the row of one prepared statement. It verifies the token with
 * the plugin that nines uses, with the same restrictions, and caches it as nines does. Another route returns the JSON of nines
 * from memory. Arguments: the JWT secret, the JSON, a copy of the database of nines.
 */
const [secret = '', json = '', path = ''] = process.argv.slice(2)
const { verify } = jwt({ name: 'jwt', secret }).decorator.jwt
const body: unknown = JSON.parse(json)
const slo = new Database(path, { readonly: true }).prepare('select * from slos where organization_id = ? and id = ?')
const remembered = new Map<string, { expiresMs: number; organizationId: unknown }>()

async function organizationOf(authorization: string | undefined): Promise<unknown> {
  const token = authorization?.replace('Bearer ', '') ?? ''
  const known = remembered.get(token)
  if (known !== undefined) return known.expiresMs > Date.now() ? known.organizationId : undefined
  const claims = await verify(token, { algorithms: ['HS256'], issuer: 'nines', requiredClaims: ['exp', 'iat', 'sub'] })
  if (!claims || typeof claims.exp !== 'number') return undefined
  remembered.set(token, { expiresMs: claims.exp * 1000, organizationId: claims['organization_id'] })
  return claims['organization_id']
}

const app = new Elysia()
  .get('/memory', async ({ headers, status }) =>
    (await organizationOf(headers['authorization'])) === undefined ? status(401) : body,
  )
  .get('/slos/:id', async ({ headers, params, status }) => {
    const organizationId = await organizationOf(headers['authorization'])
    if (organizationId === undefined) return status(401)
    return slo.get(organizationId, Number(params.id)) ?? status(404)
  })
  .listen({ hostname: '127.0.0.1', port: 0 })

process.stdout.write(`http://127.0.0.1:${app.server?.port}\n`)
