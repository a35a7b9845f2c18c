import type { TokenReader } from '../../http/signed-in.ts'

/**
 * Takes a token as the password of HTTP Basic too, whatever the user name, for programs that know nothing else. Nobody is
 * asked for it (`WWW-Authenticate` stays `Bearer`), so no browser keeps one to send it by itself.
 */
export function alsoBasic(tokens: TokenReader): TokenReader {
  return { identify: (authorization) => tokens.identify(bearerOf(authorization) ?? authorization) }
}

function bearerOf(authorization: string | null): string | undefined {
  const encoded = /^Basic +([\w+/]+=*)$/i.exec(authorization ?? '')?.[1]
  const [, token] = /^[^:]*:(.+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return token === undefined ? undefined : `Bearer ${token}`
}
