import { signal } from '@preact/signals'

const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

/** Who may register, as the document said when it was loaded. */
export const registration = (said('registration') ?? 'invite') as 'open' | 'invite' | 'closed'

/** Whether there is no account yet. */
export const needsSetup = signal(said('setup') !== undefined)

export const isDemo = said('demo') !== undefined
