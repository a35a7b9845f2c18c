import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'text' }

/** Prints the licences of what the executable holds that others wrote. */
export function licenses(): number {
  process.stdout.on('error', leave) // who reads it may have seen enough, as `head` has
  process.stdout.write(notices)
  return 0
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
