/** Names of fields that are secret, or have secrets inside: those of other servers, of channels and of accounts. */
const secretName =
  /^(?:auth|config|configuration|headers|body|certificate|cookie|credentials?)$|(?:^|[_-])(?:code|key|password|passphrase|secret|token|verifier|assertion)$/i

/** True if a part of a path, as in `auth.basic.password`, names a secret, or what has secrets inside. */
export function isSecretField(field: string): boolean {
  return field !== 'body' && field.split('.').some((name) => secretName.test(name))
}

const urlField = /(?:^|[._])(?:urls?|uris?|target|link)(?:\.\d+)?$/

/** Matches an access token (JWT), a token of nines or a header of either. */
const credential = /^(?:ey[\w-]{10}|nineso?_[\w-]{32}|(?:Basic|Bearer) )/i

/** True for a text that may have credentials: of a URL its user, its query and its fragment, and anything that signs in. */
export function isSecretText(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isUrl = urlField.test(field) || value.includes('://')
  return (isUrl && /[?#@]/.test(value)) || credential.test(value.trim())
}
