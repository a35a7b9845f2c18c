import { signal } from '@preact/signals'

const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

/** Registration policy of the server when the document was loaded. */
export const registration = (said('registration') ?? 'invite') as 'open' | 'invite' | 'closed'

/** True if there is no account yet. */
export const needsSetup = signal(said('setup') !== undefined)

/** True if nines has a mail server of its own (`SMTP_URL`). */
export const hasMailServer = said('mail') !== undefined

export const isDemo = said('demo') !== undefined
