import { jwt } from '@elysiajs/jwt'
import { Elysia } from 'elysia'

/**
 * The floor under `GET /slos/:id`: a bare Elysia route that verifies the token with the plugin nines uses, pinned in the
 * same way and remembered as nines remembers it, and returns the same JSON from memory.
 * Arguments: the JWT secret, the JSON.
 */
const [secret = '', json = ''] = process.argv.slice(2)
const { verify } = jwt({ name: 'jwt', secret }).decorator.jwt
const body: unknown = JSON.parse(json)
const remembered = new Map<string, number>()

async function isSignedIn(authorization: string | undefined): Promise<boolean> {
  const token = authorization?.replace('Bearer ', '') ?? ''
  const expires = remembered.get(token)
  if (expires !== undefined) return expires > Date.now()
  const claims = await verify(token, { algorithms: ['HS256'], issuer: 'nines', requiredClaims: ['exp', 'iat', 'sub'] })
  if (!claims || typeof claims.exp !== 'number') return false
  remembered.set(token, claims.exp * 1000)
  return true
}

const app = new Elysia()
  .get('/remembered', async ({ headers, status }) =>
    (await isSignedIn(headers['authorization'])) ? body : status(401),
  )
  .get('/verified', async ({ headers, status }) => {
    const claims = await verify(headers['authorization']?.replace('Bearer ', ''), {
      algorithms: ['HS256'],
      issuer: 'nines',
    })
    return claims ? body : status(401)
  })
  .listen({ hostname: '127.0.0.1', port: 0 })

process.stdout.write(`http://127.0.0.1:${app.server?.port}\n`)
