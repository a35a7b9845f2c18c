import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'text' }

/** Prints the licences of what the executable holds that others wrote. */
export function licenses(): number {
  process.stdout.write(notices)
  return 0
}
