export const tokenScopes = ['ingest', 'annotate'] as const

/** Limits an API token to one action, whatever its role: to send samples, or to write annotations. */
export type TokenScope = (typeof tokenScopes)[number]

/** Credential of a request: the session of a person, an API token, or an application that a user has authorized. */
export type ActingCredential =
  | { type: 'session'; id: number }
  | { type: 'api_token'; id: number; name: string }
  | { type: 'oauth_client'; id: string; name: string }

/** Client address and user agent of a request. */
export type Origin = { ip: string; userAgent: string }
