import type { TokenReader } from './signed-in.ts'

/**
 * Also accepts a token as the password of HTTP Basic, with any user name, for programs that support nothing else.
 * `WWW-Authenticate` stays `Bearer`, so no browser prompts for a token or stores one to send it by itself.
 */
export function alsoBasic(tokens: TokenReader): TokenReader {
  return { identify: (authorization, scope) => tokens.identify(bearerOf(authorization) ?? authorization, scope) }
}

function bearerOf(authorization: string | null): string | undefined {
  const encoded = /^Basic +([\w+/]+=*)$/i.exec(authorization ?? '')?.[1]
  const [, token] = /^[^:]*:(.+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return token === undefined ? undefined : `Bearer ${token}`
}
