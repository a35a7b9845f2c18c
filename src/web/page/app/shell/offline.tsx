import { useEffect, useRef } from 'preact/hooks'
import { connect, onSloUpdate } from '../../api/live.ts'
import { send } from '../../api/client.ts'
import { now } from '../../clock.ts'
import { rateLimitedUntilMs, retryUntil, unreachableSinceMs } from '../../api/connection.ts'
import { invalidate } from '../../api/resource.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoAnswer } from '../../ui/no-answer.tsx'
import { nowMs } from '../../ui/time.tsx'
import { isOutdated, lookForUpgrade } from './upgrade.ts'
import { limitedSentence, offlineSentence } from './words.ts'

/**
 * If the connection is lost again within this time after it came back, the first tries are skipped, so that a page whose
 * connection keeps failing does not reload its data in a tight loop.
 */
const soonMs = 30_000
const skippedTries = 3
/** A lost live connection is shown after this time, because it usually comes back by itself before. */
const timeoutMs = 5000

/** Bar below the header: not connected, rate limited, or a new version of the page, with the time. */
export function Notices({ hasFigures = true }: { hasFigures?: boolean }) {
  const sinceMs = offlineSinceMs()
  const limitedUntilMs = rateLimitedUntilMs.value
  return (
    <div class="notices" role="status">
      {limitedUntilMs !== null && unreachableSinceMs.value === null ? (
        <p class="banner">{limitedSentence(limitedUntilMs, nowMs.value)}</p>
      ) : sinceMs !== null ? (
        <p class="banner">
          <Icon name="wifi-off" />
          <span>{offlineSentence(sinceMs, hasFigures)}</span>
        </p>
      ) : (
        isOutdated.value && (
          <p class="banner new">
            <span>A new version of nines is here.</span>
            <Button small onClick={() => location.reload()}>
              Reload
            </Button>
          </p>
        )
      )}
    </div>
  )
}

function offlineSinceMs(): number | null {
  const unreachableMs = unreachableSinceMs.value
  const { state, sinceMs } = onSloUpdate.state.value
  if (state !== 'offline') return unreachableMs
  if (unreachableMs !== null) return Math.min(unreachableMs, sinceMs)
  return nowMs.value - sinceMs > timeoutMs ? sinceMs : null
}

/** Sends requests while the server does not answer or the live connection is down, and then reads everything again. */
export function useReconnection(): void {
  const isAway = unreachableSinceMs.value !== null || onSloUpdate.state.value.state === 'offline'
  const wasAway = useRef(false)
  const reconnectedMs = useRef(0)
  useEffect(() => {
    if (!isAway) {
      if (!wasAway.current) return
      wasAway.current = false
      reconnectedMs.current = now()
      invalidate('/')
      void lookForUpgrade()
      return
    }
    wasAway.current = true
    let isOver = false
    let triesToSkip = now() - reconnectedMs.current < soonMs ? skippedTries : 0
    void retryUntil(async () => {
      if (isOver) return true
      if (triesToSkip-- > 0) return false
      try {
        await send('GET', '/auth/me') // also shows if the session is still valid
        if (!isOver) connect()
      } catch {
        // the next try or the login page follows
      }
      return isOver
    })
    return () => void (isOver = true)
  }, [isAway])
}

/** Page until it is known who is signed in: empty, or a note that the server does not answer, or has too many requests. */
export function Waiting() {
  const isSilent = unreachableSinceMs.value !== null
  if (!isSilent && rateLimitedUntilMs.value === null) return null
  return (
    <main>
      <Notices hasFigures={false} />
      {isSilent && <NoAnswer />}
    </main>
  )
}
