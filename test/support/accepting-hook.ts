import { startReceiver } from './receiver.ts'

let url: string | undefined

/**
 * Address of a webhook that accepts all messages, one for the process. Tests that move the clock use it: retries to an address
 * that refuses would end within moments, and no end is notified of what was never delivered.
 */
export function acceptingHook(): string {
  return (url ??= `${startReceiver(() => new Response('ok')).url}/hook`)
}
