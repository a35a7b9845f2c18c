import { signal } from '@preact/signals'

/** Content of a `<meta>` of the document; undefined if it has none of that name. */
export const setting = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

/** Registration policy of the server when the document was loaded. */
export const registration = (setting('registration') ?? 'invite') as 'open' | 'invite' | 'closed'

/** True if there is no account yet. */
export const needsSetup = signal(setting('setup') !== undefined)

/** True if nines has a mail server of its own (`SMTP_URL`). */
export const hasMailServer = setting('mail') !== undefined

export const isDemo = setting('demo') !== undefined
