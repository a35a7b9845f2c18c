import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { limitHeaders } from '../connections/limits.ts'

/**
 * CORS: lets pages of these origins (`*`: any) read responses, errors too. Register it before any hook that refuses requests.
 */
export function crossOrigin(origins: string[]) {
  if (origins.length === 0) return new Elysia()
  const allowed = new Set(origins)
  return new Elysia().use(
    cors({
      origin: allowed.has('*') ? '*' : (request) => allowed.has(request.headers.get('origin') ?? ''),
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      allowedHeaders: ['Content-Type', 'Authorization', 'X-Requested-With'],
      exposeHeaders: limitHeaders,
      credentials: false,
      preflight: false, // the plugin would answer before the limits
    }),
  )
}

/** Answers preflight requests of browsers. Register it after the rate limits, which count preflights like other requests. */
export function preflights(origins: string[]) {
  if (origins.length === 0) return new Elysia()
  return new Elysia().onRequest(({ request, set }) => {
    if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined
    set.headers['access-control-max-age'] = '600'
    return new Response(null, { status: 204 })
  })
}

/** True if a request has no `Origin` header, or its origin is that of `publicUrl` or the host that it is sent to. */
export function isOwnOrigin(headers: Headers, publicUrl: string): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(publicUrl).origin || URL.parse(origin)?.host === headers.get('host')
}
