import { asSentence, formatCount, plural } from '../../../format.ts'
import type { Trial } from '../types.ts'
import { answeredSentence, failedSentence, moreWords } from './words.ts'

const shownFamilies = 8
const shownSamples = 12

/** Result of a trial scrape, which was not stored. */
export function TargetTrial({ of }: { of: Trial }) {
  const { ok, error, duration_ms, sample_count, family_count, families, samples } = of
  if (!ok) {
    return (
      <p class="crit-text message-text">
        <strong>{failedSentence(duration_ms)}</strong> {asSentence(error ?? '')}
      </p>
    )
  }
  const first = families.slice(0, shownFamilies)
  const others = families.slice(shownFamilies)
  return (
    <>
      <p>
        {answeredSentence({
          durationMs: duration_ms,
          samples: sample_count,
          metrics: family_count,
          strong: (text) => <strong>{text}</strong>,
        })}
      </p>
      {first.length > 0 && <Families of={first} />}
      {others.length > 0 && (
        <details>
          <summary>{moreWords(others.length, family_count > families.length ? family_count : null)}</summary>
          <Families of={others} />
        </details>
      )}
      {samples.length > 0 && (
        <details>
          <summary>First samples</summary>
          <pre>{samples.slice(0, shownSamples).map(lineOf).join('\n')}</pre>
        </details>
      )}
    </>
  )
}

function Families({ of }: { of: Trial['families'] }) {
  return (
    <ul class="families">
      {of.map(({ name, type, help, samples }) => (
        <li key={name} title={help || undefined}>
          <code>{name}</code>
          <span class="muted">
            {type === 'unknown' ? '' : `${type}, `}
            {plural(samples, '# sample', '# samples', formatCount)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function lineOf({ name, labels, value }: Trial['samples'][number]): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}
