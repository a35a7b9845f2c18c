import { useRead } from '../../../api/use-read.ts'
import { formatBytes, formatNumber, plural } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { Time } from '../../../ui/time.tsx'
import type { Storage as Stored } from '../types.ts'
import { Import } from './import.tsx'
import { forecastOf } from './sizes.ts'
import { deletedSentences, fileSentences, growthWords, usedOfWords } from './words.ts'

/** Size and retention of the embedded source, and the import of history. */
export function Storage() {
  const storage = useRead<Stored>('/embedded/storage')
  return (
    <Read of={storage} heightPx={240}>
      {(value) => (
        <>
          <section class="card section">
            <h2>Samples of the organization</h2>
            <Meter label="Samples" text={usedOfWords(value.bytes, formatBytes)} of={value.bytes} />
            <Meter label="Series" text={usedOfWords(value.series, formatNumber)} of={value.series} />
            <dl class="facts">
              <div>
                <dt>Oldest sample</dt>
                <dd>{value.oldest_at === null ? 'None yet' : <Time ms={Date.parse(value.oldest_at)} />}</dd>
              </div>
              <div>
                <dt>Kept for</dt>
                <dd>{plural(value.retention_days, '# day', '# days')}</dd>
              </div>
              <div>
                <dt>New samples a day</dt>
                <dd>{growthWords(value)}</dd>
              </div>
            </dl>
            <p class="muted">
              {forecastOf(value)}{' '}
              {deletedSentences(
                <span title="SAMPLES_RETENTION_DAYS">older than is kept</span>,
                <span title="QUOTA_SAMPLES_BYTES">bound</span>,
              )}
            </p>
          </section>
          {value.file && (
            <section class="card section">
              <h2>samples.db, of all organizations</h2>
              <Meter label="File" text={usedOfWords(value.file, formatBytes)} of={value.file} />
              <p class="muted">{fileSentences(value.file.disk_free)}</p>
            </section>
          )}
          <Import maxBytes={value.import_bytes} retentionDays={value.retention_days} />
        </>
      )}
    </Read>
  )
}

const nearlyFull = 0.9

function Meter({
  label,
  text,
  of: { used, limit },
}: {
  label: string
  text: string
  of: { used: number; limit: number }
}) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1
  return (
    <div class="meter">
      <span>{label}</span>
      <div class={`meter-bar${share >= nearlyFull ? ' full' : ''}`} role="img" aria-label={`${label}: ${text}`}>
        <div style={{ width: `${100 * share}%` }} />
      </div>
      <span class="number">{text}</span>
    </div>
  )
}
