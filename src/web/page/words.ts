import type { State } from './ui/status.tsx'

/** The words that several views use. What one view alone says is in the words of its folder. */
export const words = {
  product: 'nines',
  states: { healthy: 'Healthy', warning: 'Warning', critical: 'Critical', unknown: 'Unknown' } satisfies Record<
    State,
    string
  >,
  burn: { burning: 'Burning', recovering: 'Recovering', rising: 'Rising', calm: 'Calm' },
  severities: { page: 'page', ticket: 'ticket' },
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  retry: 'Try again',
  how: 'how?',
  loading: 'Loading',
  viewer: 'Your role can look, not change. An administrator can give you another role.',
  copied: 'Link copied',
  clipboardClosed: 'The browser gives no access to the clipboard here. Copy the address above.',
  noData: 'No data',
} as const
