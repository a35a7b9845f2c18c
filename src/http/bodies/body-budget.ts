import { AppError } from '../../errors.ts'

/** Memory reserved for the body of one request. */
export type BodyRoom = {
  /** Grows the reservation to `bytes` in total; throws `unavailable` if there is no room. */
  growTo(bytes: number): void
  /** Releases the whole reservation. */
  release(): void
}

/** Bounds the total size of the request bodies that are being received. */
export type BodyBudget = { open(organizationId: number): BodyRoom }

const mib = 1024 * 1024
const smallBytes = 64 * 1024
const shareOfLarge = 3 / 4
const retrySeconds = 5

/**
 * Budget in bytes: a sixteenth of the memory, between 16 and 64 MiB, but at least four bodies of the maximum size, so that one
 * such body fits.
 */
export function bodyBudgetBytes(usableBytes: number, bodyLimitBytes: number): number {
  const share = Math.min(64 * mib, Math.max(16 * mib, Math.floor(usableBytes / 16)))
  return Math.max(share, 4 * bodyLimitBytes)
}

/**
 * An organization gets at most half of what the others leave, so that the next one finds room. Bodies above 64 KiB may use
 * three quarters of that half; the rest is for small bodies.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const bytesOf = new Map<number, number>()
  let total = 0

  function add(organizationId: number, bytes: number): void {
    const used = (bytesOf.get(organizationId) ?? 0) + bytes
    if (used > 0) bytesOf.set(organizationId, used)
    else bytesOf.delete(organizationId)
    total += bytes
  }

  function hasRoom(organizationId: number, heldBytes: number, bytes: number): boolean {
    const used = bytesOf.get(organizationId) ?? 0
    const max = (maxBytes - (total - used)) / 2
    return used - heldBytes + bytes <= (bytes > smallBytes ? max * shareOfLarge : max)
  }

  return {
    open(organizationId) {
      let heldBytes = 0
      return {
        growTo(bytes) {
          if (bytes <= heldBytes) return
          if (!hasRoom(organizationId, heldBytes, bytes)) throw noRoom()
          add(organizationId, bytes - heldBytes)
          heldBytes = bytes
        },
        release() {
          add(organizationId, -heldBytes)
          heldBytes = 0
        },
      }
    },
  }
}

function noRoom(): AppError {
  return new AppError('unavailable', 'Too many request bodies at once', {
    details: `body: too many bytes are being received; try again in ${retrySeconds} s`,
    headers: { 'Retry-After': String(retrySeconds), Connection: 'close' },
  })
}
