/** With what somebody acts: the session of a person, an API token, or an application they have let act for them. */
export type ActingCredential =
  | { type: 'session'; id: number }
  | { type: 'api_token'; id: number; name: string }
  | { type: 'oauth_client'; id: string; name: string }

/** Where a request came from. */
export type Origin = { ip: string; userAgent: string }
