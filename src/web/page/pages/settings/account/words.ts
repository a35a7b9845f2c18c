import { sentence } from '../../../format.ts'
import type { OwnEmail } from '../types.ts'

/** A change of the address that waits for its confirmation. */
export function pendingSentence<Part>(email: string, until: Part): (Part | string)[] {
  return sentence`${email} was mailed a link, good until ${until}. Until it is followed, the present address stays.`
}

/** Message after the link that confirms an address was mailed again. */
export function mailedText(email: string): string {
  return `A link is on its way to ${email}.`
}

/** Message after a change of the address, which is final at once if nines sends no mail. */
export function changedText({ email, pending }: OwnEmail): string {
  return pending ? mailedText(pending.email) : `The e-mail address is ${email} now.`
}

/** Present time in the chosen zone, as an example. */
export function nowWords(time: string): string {
  return `Now: ${time}`
}
