/** URL of a mail server; null: none. The value may hold a password, so the error does not repeat it. */
export function smtpUrl(value: string): string | null {
  if (value === '') return null
  const url = URL.canParse(value) ? new URL(value) : null
  const isValid = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
  if (!isValid) throw new Error('must be smtp://[user:password@]host[:port] or smtps://…')
  return value
}

/** Address of a sender. */
export function mailFrom(value: string): string {
  if (!/^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value)) throw new Error(`must be an e-mail address, got "${value}"`)
  return value
}
